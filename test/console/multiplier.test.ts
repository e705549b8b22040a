import { describe, expect, test } from 'vitest';
import { multiplierOf } from '../../console/screens/campaigns/multiplier.ts';

describe('a multiplier of the max price, as it is typed', () => {
  test.each<[string, number | 'wrong' | undefined]>([
    ['', undefined],
    [' ', undefined],
    ['1,5', 1.5],
    ['0.1', 0.1],
    ['10', 10],
    ['0.09', 'wrong'],
    ['10.1', 'wrong'],
    ['1.234', 'wrong'],
    ['twice', 'wrong'],
    ['-1', 'wrong'],
  ])('%j is %j', (typed, expected) => {
    expect(multiplierOf(typed)).toBe(expected);
  });
});
