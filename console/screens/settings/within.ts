import { inDigits, useLocale, useText } from '../../text/text.ts';
import { lengthOf } from '../../data/number-tools.ts';
import { numberToolsText } from '../../text/number-tools.ts';
import { problemsText } from '../../text/problems.ts';

interface Limited {
  value: string;
  problem?: string | undefined;
}

/** What a field with a limit of the provider says while it is filled in: how much of the limit is used, and where it is too much. */
export const useWithin = () => {
  const text = useText(numberToolsText);
  const problems = useText(problemsText);
  const { language } = useLocale();
  return <F extends Limited>(field: F, most: number, hint?: string): F & { hint: string; problem: string | undefined } => {
    const count = lengthOf(field.value);
    const tooMuch = count > most ? problems.charactersAtMost(inDigits(language, most)) : undefined;
    const written = text.written(count, most);
    return { ...field, hint: hint === undefined ? written : `${hint} ${written}`, problem: field.problem ?? tooMuch };
  };
};
