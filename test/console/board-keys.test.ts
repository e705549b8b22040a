import { expect, test } from 'vitest';
import { walked } from '../../console/screens/sales/board-keys.ts';

const counts = [3, 0, 1];

test('arrows walk within a column and stop at its ends', () => {
  expect(walked(counts, [0, 0], 'ArrowDown', false)).toEqual([0, 1]);
  expect(walked(counts, [0, 2], 'ArrowDown', false)).toBeUndefined();
  expect(walked(counts, [0, 0], 'ArrowUp', false)).toBeUndefined();
});

test('to the side they pass an empty column, and come to its last card where it is shorter', () => {
  expect(walked(counts, [0, 2], 'ArrowRight', false)).toEqual([2, 0]);
  expect(walked(counts, [2, 0], 'ArrowLeft', false)).toEqual([0, 0]);
  expect(walked(counts, [2, 0], 'ArrowRight', false)).toBeUndefined();
});

test('in a language that is written from the right, left is onward', () => {
  expect(walked(counts, [0, 0], 'ArrowLeft', true)).toEqual([2, 0]);
  expect(walked(counts, [2, 0], 'ArrowRight', true)).toEqual([0, 0]);
});

test('other keys walk nowhere', () => {
  expect(walked(counts, [0, 0], 'Enter', false)).toBeUndefined();
});
