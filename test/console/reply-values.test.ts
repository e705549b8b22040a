import { expect, test } from 'vitest';
import { filledReply, openPlaceholders } from '../../console/screens/inbox/reply-values.ts';

const ada = { name: 'Ada  Lovelace', phone: '+4915112345678', agent: 'Kim' };

test.each([
  ['Hello {{name}}, {{ First_Name }}', 'Hello Ada  Lovelace, Ada'],
  ['{{agent}} calls {{phone}}', 'Kim calls +4915112345678'],
  ['{{1}} and {{order}} stay', '{{1}} and {{order}} stay'],
  ['$& {{name}}', '$& Ada  Lovelace'],
])('%s is filled in from the contact and the user', (text, filled) => {
  expect(filledReply(text, ada)).toBe(filled);
});

test('what is not known of a contact stays open, and nothing that a contact is called is filled in again', () => {
  expect(filledReply('Hello {{name}}', { ...ada, name: null })).toBe('Hello {{name}}');
  expect(filledReply('Hello {{first_name}}', { ...ada, name: '{{agent}}' })).toBe('Hello {{agent}}');
  expect(openPlaceholders('Hello {{name}}, {{name}} of {{order}}, {{ PHONE }}')).toEqual(['{{name}}', '{{ PHONE }}']);
  expect(openPlaceholders('A price of {5} or {{}}')).toEqual([]);
});
