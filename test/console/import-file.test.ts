import { expect, test } from 'vitest';
import { beginningOf, failedRowsIn } from '../../console/screens/contacts/import-file.ts';
import { csvLine } from '../../shared/runtime/csv-line.ts';

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

test('the rows that failed are read with their lines and reasons, and each cell as the file had it', () => {
  const file = `\uFEFF${[
    ['line', 'reasons', 'Handy', 'Note'],
    ['2', 'phone: Is no phone.', '+49 12', '=1+1'],
    ['5', 'The row could not be read.'],
  ]
    .map((cells) => csvLine(cells))
    .join('')}`;
  expect(file).toContain("'+49 12");
  expect(failedRowsIn(file)).toEqual({
    columns: ['Handy', 'Note'],
    rows: [
      { line: '2', reasons: 'phone: Is no phone.', cells: ['+49 12', '=1+1'] },
      { line: '5', reasons: 'The row could not be read.', cells: ['', ''] },
    ],
  });
});
