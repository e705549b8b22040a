import type { JSX, ReactNode } from 'react';
import { CheckField } from '../../components/fields.tsx';
import { problemsText } from '../../text/problems.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';
import { ruleWords } from './rule-words.ts';
import type { DraftButton, TemplateDraft } from './template-draft.ts';
import { fieldAt, type Reasons, reasonsAt } from './template-rules.ts';

/** What the parts of the builder have in common: the draft, changing it, and what is against it. */
export interface Building {
  draft: TemplateDraft;
  change: (edit: Partial<TemplateDraft>) => void;
  /** Why a field of a component is refused, once there is something in it, or submitting was tried. */
  problemAt: (type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS', field: string, given: string) => string | undefined;
  /** Why a field of the template itself is refused. */
  problemOf: (field: string, given: string) => string | undefined;
  /** Why the buttons together are refused, such as too many of a kind. */
  problemOfButtons: string | undefined;
  /** The same template in the language that is translated. */
  source?: TemplateDraft | undefined;
}

/** @param isTried submitting was tried: then what is missing is named, too */
export const useProblems = (
  draft: TemplateDraft,
  reasons: Reasons,
  refused: Reasons,
  isTried: boolean,
): Pick<Building, 'problemAt' | 'problemOf' | 'problemOfButtons'> => {
  const text = useText(templatesText);
  const problems = useText(problemsText);
  const inWords = (all: readonly string[]): string | undefined =>
    all.length === 0 ? undefined : [...new Set(all.map((reason) => ruleWords(reason, text, problems)))].join(' ');
  const problemOf = (field: string, given: string): string | undefined => {
    const own = isTried || given !== '' ? reasonsAt(reasons, field) : [];
    return inWords(own.length > 0 ? own : reasonsAt(refused, field));
  };
  const buttons = fieldAt(draft, 'BUTTONS', 'buttons');
  return {
    problemOf,
    problemAt: (type, field, given) => problemOf(fieldAt(draft, type, field), given),
    problemOfButtons: inWords([...(reasons[buttons] ?? refused[buttons] ?? [])]),
  };
};

interface ChoiceCardsProps<V extends string> {
  label: string;
  name: string;
  value: V;
  choices: readonly { value: V; label: string; hint?: string; isDisabled?: boolean }[];
  onChoose: (value: V) => void;
}

/** One of a few, each with what it means. */
export const ChoiceCards = <V extends string>({ label, name, value, choices, onChoose }: ChoiceCardsProps<V>): JSX.Element => (
  <fieldset className="field">
    <legend>{label}</legend>
    <div className="choice-cards">
      {choices.map((each) => (
        <div key={each.value} className="choice-card">
          <CheckField
            type="radio"
            name={name}
            label={each.label}
            {...(each.hint === undefined ? {} : { hint: each.hint })}
            checked={each.value === value}
            disabled={each.isDisabled}
            onCheck={() => onChoose(each.value)}
          />
        </div>
      ))}
    </div>
  </fieldset>
);

/** What is refused of a part that has no field of its own. */
export const PartProblem = ({ problem }: { problem: string | undefined }): ReactNode =>
  problem !== undefined && (
    <div className="field">
      <span className="problem" role="alert">
        {problem}
      </span>
    </div>
  );

/** The words that are translated. */
export const useOriginal = (words: string | undefined): string | undefined => {
  const text = useText(templatesText);
  return words === undefined || words === '' ? undefined : text.original(words);
};

export type ButtonField = keyof Pick<DraftButton, 'text' | 'url' | 'phone' | 'example'>;
