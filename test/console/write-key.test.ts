import './fake-browser.ts';
import { describe, expect, test } from 'vitest';
import { SwitchboardProblem } from '../../client/client.ts';

const { WriteKey } = await import('../../console/data/write-key.ts');

const refusal = (status: number, code: string) => new SwitchboardProblem(status, { code, message: 'Refused.' }, 'req_1');
const input = { name: 'Kim', email: 'kim@alder.example' };

describe('the key of a form', () => {
  test('is the same for the same input until there is an answer, so that a double click is one write', () => {
    const key = new WriteKey();
    expect(key.of({ ...input })).toBe(key.of({ ...input }));
  });

  test.each([
    ['there is no answer', new TypeError('Failed to fetch')],
    ['the product failed', refusal(500, 'internal_error')],
    ['the first try is still running', refusal(409, 'idempotency_in_progress')],
    ['there are too many requests', refusal(429, 'rate_limited')],
  ])('stays when %s: what was sent may be done already', (_, error) => {
    const key = new WriteKey();
    const first = key.of(input);
    key.answered(error);
    expect(key.of(input)).toBe(first);
  });

  test.each([
    ['a field is refused', refusal(422, 'validation_failed')],
    ['the record is not there', refusal(404, 'not_found')],
    ['the record changed', refusal(409, 'version_conflict')],
    ['the key was used for another request', refusal(409, 'idempotency_key_reused')],
    ['it is done', undefined],
  ])('is another one once %s: trying again is another request', (_, error) => {
    const key = new WriteKey();
    const first = key.of(input);
    key.answered(error);
    expect(key.of(input)).not.toBe(first);
  });

  test('is another one for another input, whatever became of the first', () => {
    const key = new WriteKey();
    const first = key.of(input);
    key.answered(new TypeError('Failed to fetch'));
    expect(key.of({ ...input, email: 'kim@example.com' })).not.toBe(first);
  });

  test('is there for a write without an input', () => {
    const key = new WriteKey();
    expect(key.of(undefined)).toBe(key.of(undefined));
    key.answered(refusal(404, 'not_found'));
    expect(key.of(undefined)).toMatch(/^[\da-f-]{36}$/);
  });
});
