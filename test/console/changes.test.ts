import { describe, expect, test } from 'vitest';
import { changesOf, editsLeft, isEmpty } from '../../console/data/changes.ts';

const company = { name: 'Alder', minutes: 30, words: ['STOP', 'ENDE'] };

describe('what a form sends', () => {
  test('is what was changed, and nothing that others may have changed meanwhile', () => {
    expect(changesOf(company, { minutes: 15 })).toEqual({ minutes: 15 });
    expect(changesOf(company, {})).toEqual({});
  });

  test('is nothing of a field that was changed and changed back', () => {
    expect(isEmpty(changesOf(company, { name: 'Alder', words: ['STOP', 'ENDE'] }))).toBe(true);
  });

  test('is compared with what was read last: a change that another user made as well is none', () => {
    expect(changesOf({ ...company, minutes: 15 }, { minutes: 15, name: 'Birch' })).toEqual({ name: 'Birch' });
  });

  test('names a field that was emptied', () => {
    expect(changesOf({ note: 'Old' as string | null }, { note: null })).toEqual({ note: null });
    expect(changesOf(company, { words: [] })).toEqual({ words: [] });
  });
});

test('what was typed while the answer was on its way stays', () => {
  expect(editsLeft({ name: 'Birch and Sons', minutes: 15 }, { name: 'Birch', minutes: 15 })).toEqual({ name: 'Birch and Sons' });
});
