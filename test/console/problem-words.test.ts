import { describe, expect, test } from 'vitest';
import { SwitchboardProblem } from '../../client/client.ts';
import { isLostConnection, reasonOf, wordsOf } from '../../console/components/problem-words.ts';
import { ar } from '../../console/text/ar/problems.ts';
import { de } from '../../console/text/de/problems.ts';
import { en } from '../../console/text/en/problems.ts';
import { problems } from '../../shared/contract/problems.ts';

const refusal = (code: string, status: number, more: object = {}) =>
  new SwitchboardProblem(status, { code, message: 'A title of the API.', remedy: 'A remedy of the API.', ...more }, 'req_1');

describe('a failure in words', () => {
  test.each(Object.entries(problems))('says of %s what happened, without a word of the API', (code, { status, title, remedy }) => {
    for (const text of [en, de, ar]) {
      const { title: shown, advice = '' } = wordsOf(refusal(code, status, { message: title, remedy }), text);
      expect(shown).not.toBe('');
      expect(`${shown} ${advice}`).not.toMatch(/\bHTTP\b|details\.|Retry-After|Idempotency|\b[a-z]+_[a-z]+\b|scope|endpoint|request body/i);
      expect(shown).not.toBe(text.failed);
    }
  });

  test('says what WhatsApp refused a message for', () => {
    const error = refusal('provider_rejected', 422, { details: { fix: 'Wait for the customer to accept the new terms.' } });
    expect(wordsOf(error, en)).toEqual({ title: en.provider, advice: 'Wait for the customer to accept the new terms.' });
  });

  test('blames the connection for what the connection did, and for nothing else', () => {
    expect(wordsOf(new TypeError('Failed to fetch'), en).title).toBe(en.offline);
    expect(wordsOf(new DOMException('Too slow', 'TimeoutError'), en).title).toBe(en.offline);
    expect(wordsOf(new Error('from must be a phone number.'), en).title).toBe(en.failed);
    expect(wordsOf(new TypeError('one is undefined'), en).title).toBe(en.failed);
    expect(isLostConnection(refusal('internal_error', 500))).toBe(false);
  });

  test('of a code that a later version of the API has is by its status', () => {
    expect(wordsOf(refusal('of_next_year', 500), en).title).toBe(en.ours);
    expect(wordsOf(refusal('of_next_year', 409), en).title).toBe(en.refused);
  });
});

describe('why a field was refused', () => {
  test.each([
    ['Must be an email address.', de.emailAddress],
    ['Must not be empty.', de.needed],
    ['Must be one of owner, admin, member, viewer.', de.choose],
    ['Must be 0 to 1440.', 'Von 0 bis 1440.'],
    ['Must be a whole number from 1 to 1,000.', 'Von 1 bis 1,000.'],
    ['Must have at most 100 characters.', 'Höchstens 100 Zeichen.'],
    ['Must be at least 1.', 'Mindestens 1.'],
    ['Another user of this company has this email address.', de.emailTaken],
  ])('is said in the language of the reader: %s', (reason, words) => {
    expect(reasonOf(reason, de)).toBe(words);
  });

  test('is said as the API says it where there are no other words', () => {
    expect(reasonOf('The moon is not full.', de)).toBe('The moon is not full.');
  });
});
