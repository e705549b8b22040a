import { type ProblemCode } from '../../shared/contract/problems.ts';
import { kindsOfCodes, type RefusalKind } from '../../shared/contract/refusal-kinds.ts';

/**
 * The kind of a refusal by its words, as a reader of the answer would name it: written beside the rules of the product, and not derived from
 * them, so that a rule which its operation does not name is found. The first that fits is the kind.
 */
const words: readonly (readonly [RefusalKind, RegExp])[] = [
  ['blank', /^Must not be empty\.$|NUL characters/],
  ['field', /^This field is not known|^Move the lead with|^The contact of a lead does not change/],
  ['filter', /^There is no field |^\w+ needs (a|one|no|two) (value|list)|one nested|^Must have at most \d+ rules| does not take \w+\.$/],
  ['time', /in the past|ahead|after from|^The range has|ISO 8601|^Must be (a )?(date|time)\b|offer .* over/],
  ['taken', /^Another |already connected|^Is a passkey already|has this contact already/],
  ['limit', /^A (company|contact) (has|takes in|may have) at most|has \d+ pending tasks/],
  ['media', /^Must (lead to|be one of jpeg)|[Tt]he file|MB\b|^The URL/],
  ['role', /^The role \w+ does not have/],
  ['proof', /^Is not the (one|secret) |^The claim|^Is no answer to/],
  [
    'state',
    /cannot be changed|^Only a lost lead has|^The stage is archived|^The user is inactive|is deactivated|^This profile does not allow|^The ceiling is in|^The profile sends no|would get around its ceiling|^Give the receivers/,
  ],
  [
    'reference',
    /^There is no |^There are no |^No contact has |^Is no profile|^Must be a message of|^Must be an active |^Must be the wamid|^Must be an app of/,
  ],
  [
    'combination',
    /^Not together|^Only (with|a select)|^Required|[ ]is required\.|^This field is required|^Send |^Give |^Must be given for|^Must have a (name or|group or)|^Must be the same as|^With another currency|^No code can|cannot reach|exactly one|^A lost lead needs|^A select field needs|^A CAPTCHA needs|^A card of another|^The (market|country) .* (twice|two markets)|^Only one market|^Stage \d+ is missing|^Codes of \d+ digits allow|^The (first tier|tiers) of|^Choose a template|^Not needed|^Where the/,
  ],
  [
    'template',
    /\{\{|placeholder|[Vv]ariable|parameter|component|\b(BODY|HEADER|FOOTER|BUTTONS|CAROUSEL|LIMITED_TIME_OFFER)\b|template|provider writes|cards\b|button|^Must be from -?\d+ to \d+ for|^Values (are missing|must be)|has no value for|^An example is needed|^Does not fit/,
  ],
  [
    'size',
    /at most .* (characters|bytes|keys|columns|products) ?(as JSON|together|in all)?\.$|names that differ|^Options must differ|^All custom values/,
  ],
  ['form', /^Must |^A key begins|^The country code|^No country|^Is not readable|^Group (ids|names)|^Is not /],
];

/** Undefined: no kind has these words. */
export const kindOfReason = (reason: string): RefusalKind | undefined =>
  words.find(([, pattern]) => pattern.test(reason.replace(/(, )?(for example|such as) .*/, '.')))?.[0];

/** The kinds of a refused answer, with the field and the words of each. */
export const kindsOfAnswer = (
  code: string,
  errors: Readonly<Record<string, readonly string[]>>,
): [kind: RefusalKind | undefined, words: string][] =>
  code === 'validation_failed'
    ? Object.entries(errors).flatMap(([field, reasons]) =>
        reasons.map((each) => [kindOfReason(each), `${field}: ${each}`] as [RefusalKind | undefined, string]),
      )
    : [[kindsOfCodes[code as ProblemCode], code]];
