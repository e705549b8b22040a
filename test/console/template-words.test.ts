import { expect, test } from 'vitest';
import { rejectionOf } from '../../console/screens/templates/template-words.ts';
import { de } from '../../console/text/de/templates.ts';

const reasons = [
  'INVALID_FORMAT',
  'ABUSIVE_CONTENT',
  'SCAM',
  'TAG_CONTENT_MISMATCH',
  'INCORRECT_CATEGORY',
  'CATEGORY_NOT_AVAILABLE',
  'PROMOTIONAL',
] as const;

test('each reason of the provider has words of its own, and what to do', () => {
  const all = reasons.map((reason) => rejectionOf(de, { rejected_reason: reason, rejection_info: null }));
  expect(new Set(all.map((each) => each?.reason)).size).toBe(reasons.length);
  expect(new Set(all.map((each) => each?.remedy)).size).toBe(reasons.length);
  expect(all.filter((each) => each === undefined || /[A-Z]_/.test(each.reason))).toEqual([]);
});

test('what the provider itself advises comes first; a reason that is not known stays as the provider says it', () => {
  const info = { reason: 'A link leads elsewhere.', recommendation: 'Correct the link.' };
  expect(rejectionOf(de, { rejected_reason: 'SCAM', rejection_info: info })?.remedy).toBe('Correct the link.');
  expect(rejectionOf(de, { rejected_reason: 'NEW_REASON', rejection_info: info })).toEqual({
    reason: 'A link leads elsewhere.',
    remedy: 'Correct the link.',
  });
  expect(rejectionOf(de, { rejected_reason: 'NEW_REASON', rejection_info: null })?.reason).toBe('NEW_REASON');
});

test('a template that was not refused has no reason', () => {
  for (const reason of [null, 'NONE']) expect(rejectionOf(de, { rejected_reason: reason, rejection_info: null })).toBeUndefined();
});
