import { expect, test } from 'vitest';
import { beginningOf } from '../../console/screens/contacts/import-file.ts';

test('the columns of a file are found by whatever divides them, with a mark of UTF-8 before them and quotes around them', () => {
  expect(beginningOf('\uFEFFName;"Phone, mobile";City\r\nAna;+4915112345678;Rome\r\n')).toEqual({
    columns: ['Name', 'Phone, mobile', 'City'],
    rows: [['Ana', '+4915112345678', 'Rome']],
  });
  expect(beginningOf('a\tb\n1\t2').columns).toEqual(['a', 'b']);
  expect(beginningOf('a|b|c\n').columns).toEqual(['a', 'b', 'c']);
});

test('a quoted cell holds what divides, line breaks and doubled quotes; three rows are shown, and empty lines are none', () => {
  const { rows } = beginningOf('phone,note\n1,"a, ""b""\nc"\n\n2,x\n3,y\n4,z\n');
  expect(rows).toEqual([
    ['1', 'a, "b"\nc'],
    ['2', 'x'],
    ['3', 'y'],
  ]);
});

test('an empty file has no columns', () => {
  expect(beginningOf('')).toEqual({ columns: [], rows: [] });
});
