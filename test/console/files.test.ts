import { expect, test } from 'vitest';
import { csvOf } from '../../console/data/csv.ts';
import { linesOf } from '../../console/data/lines.ts';

test('a file has a line for each row, quotes what needs it, and nothing that a spreadsheet would run', () => {
  const rows = [
    { name: 'Ada, "the first"', count: 1 },
    { name: '=1+1', count: -2 },
    { name: '@home\nalone', count: null },
    { name: 'x;=1+1', count: 0 },
  ];
  const columns = [
    { name: 'name', value: ({ name }: (typeof rows)[number]) => name },
    { name: 'count', value: ({ count }: (typeof rows)[number]) => count },
  ];
  expect(csvOf(columns, rows)).toBe(`name,count\r\n"Ada, ""the first""",1\r\n'=1+1,-2\r\n"'@home\nalone",\r\n"x;'=1+1",0\r\n`);
});

test('a list is written one a line, or with commas between', () => {
  expect(linesOf(' one\n\ntwo, three ,')).toEqual(['one', 'two', 'three']);
});
