import * as z from 'zod';

/** What a missing field is answered with; a field may say more after it. */
export const missingReason = 'This field is required.';

/** What a text is refused with: most often a number stands there, as of a phone or a code. */
export const textReason = ({ input }: { input?: unknown }): string =>
  typeof input === 'number' ? 'Must be a text: put the number in quotes.' : 'Must be a text.';

const kinds: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'an ISO 8601 date and time',
  date: 'a date as YYYY-MM-DD',
  emoji: 'an emoji',
  ipv4: 'an IP address',
  ipv6: 'an IP address',
};

const units: Readonly<Record<string, string>> = { string: 'characters', array: 'elements', set: 'elements', record: 'fields' };

/** What a schema that has no words of its own is refused with: in the terms of the API, not in those of the library that reads it. */
export const refusalWords = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'string' ? textReason(issue) : `Must be ${kinds[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      return `Must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(named).join(', ')}.`;
    case 'invalid_format':
      return `Must be ${formats[issue.format] ?? 'in the form that the API reference describes'}.`;
    case 'invalid_union':
      return waysOf(issue);
    case 'too_big':
      return bound(issue.origin, 'at most', issue.maximum, issue.inclusive);
    case 'too_small':
      return bound(issue.origin, 'at least', issue.minimum, issue.inclusive);
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}.`;
    case 'unrecognized_keys':
      return `Has fields that are not known: ${issue.keys.slice(0, 10).join(', ')}.`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'Is not the name of a field.';
    default:
      return 'Is not valid.';
  }
};

/** A value in a sentence; of an empty text nothing would be seen. */
const named = (value: unknown): string => (value === '' ? 'empty' : String(value));

// before any schema is read: each contract is built from fields that import this
z.config({ localeError: refusalWords });

function bound(origin: string, which: 'at most' | 'at least', by: number | bigint, isInclusive = true): string {
  const unit = units[origin];
  if (unit === undefined) return isInclusive ? `Must be ${which} ${by}.` : `Must be ${which === 'at most' ? 'less' : 'more'} than ${by}.`;
  return which === 'at least' && Number(by) === 1 ? 'Must not be empty.' : `Must have ${which} ${by} ${unit}.`;
}

/** Of a union: the names that there are, or what each of its ways wants. */
function waysOf({
  options,
  errors = [],
}: {
  options?: readonly unknown[] | undefined;
  errors?: readonly (readonly z.core.$ZodIssue[])[];
}): string {
  if (options && options.length > 0) return `Must be one of ${options.map(named).join(', ')}.`;
  const reasons = [...new Set(errors.flatMap(([first]) => (first && first.path.length === 0 ? [first.message] : [])))];
  const wanted = reasons.map((reason) => /^Must be (.+?)\.$/.exec(reason)?.[1]);
  return reasons.length > 0 && wanted.every((each) => each !== undefined)
    ? `Must be ${wanted.join(' or ')}.`
    : (reasons[0] ?? 'Is not valid.');
}
