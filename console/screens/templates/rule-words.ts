import { reasonOf } from '../../components/problem-words.ts';
import type { problemsText } from '../../text/problems.ts';
import type { templatesText } from '../../text/templates.ts';
import type { TextOf } from '../../text/text.ts';

type Text = TextOf<typeof templatesText>;

/** A reason of the API's rules for templates, in words of the reader; one that is not known here stays as the API says it. */
export const ruleWords = (reason: string, text: Text, problems: TextOf<typeof problemsText>): string => {
  for (const [pattern, words] of rules(text)) {
    const found = pattern.exec(reason);
    if (found) return typeof words === 'string' ? words : words(found[1] ?? '');
  }
  return reasonOf(reason, problems);
};

const rules = (text: Text): readonly (readonly [RegExp, string | ((named: string) => string)])[] => [
  [/^Must have 1 to 512 lower-case/, text.ruleName],
  [/^A BODY needs a text/, text.ruleBody],
  [/^A media header needs/, text.ruleSample],
  [/^A TEXT header needs/, text.ruleHeader],
  [/^A header can have one variable/, text.ruleHeaderVariable],
  [/^The header text must not contain/, text.ruleHeaderPlain],
  [/^Variables need text between/, text.ruleBetween],
  [/^The body text must not begin or end/, text.ruleEnds],
  [/^Variables are written/, text.ruleWritten],
  [/^Names of variables/, text.ruleVariableName],
  [/^Variables must be/, text.ruleNumbers],
  [/^An example is needed|examples are needed/, text.ruleExample],
  [/^The footer text must not contain/, text.ruleFooter],
  [/^There must be 1 to 10 buttons/, text.ruleTen],
  [/at most 2 URL buttons/, text.ruleLinks],
  [/at most 1 phone number button/, text.rulePhones],
  [/at most 1 copy code button/, text.ruleCodes],
  [/^Quick reply buttons must stand together/, text.ruleTogether],
  [/^A copy code button needs an example/, text.ruleCode],
  [/^A button needs a text/, text.ruleButton],
  [/^The button text must not contain/, text.ruleButtonPlain],
  [/^Must be an http or https URL/, text.ruleAddress],
  [/^The URL can have one variable/, text.ruleLinkEnd],
  [/^Must be a file of the type/, text.ruleFileType],
  [/^A sample has at most/, text.ruleFileSize],
  [/^The file is gone/, text.ruleFileGone],
  [/^Must be a decimal text/, text.ruleAmount],
  [/^The max price of a template is above 0/, text.rulePriceSize],
  [/^The max price of a template has at most (\d+) decimals/, (digits) => text.ruleDecimals(Number(digits))],
  [/^The max price of a template is in the currency of its business account, (\w+)/, text.ruleAccountCurrency],
  [/^The max price of a template cannot be in (\w+)/, text.ruleNoCurrency],
  [/^Only a template that was created with a max price/, text.maxPriceNotAdded],
  [/^A template with a max price stays MARKETING/, text.rulePriceCategory],
];
