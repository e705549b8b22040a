import { expect, test } from 'vitest';
import { chartCsv, fileName } from '../../console/components/charts/chart-csv.ts';

test('a file has the dates of the axis and whole numbers, and nothing where nothing is known', () => {
  const table = {
    columns: ['Day', 'Answered', 'Share'],
    rows: [
      ['29 Nov', 1_234, 0.5],
      ['30 Nov', 0, null],
    ],
    names: ['2026-11-29', '2026-11-30'],
    words: () => 'not in a file',
  };
  expect(chartCsv(table)).toBe('Day,Answered,Share\r\n2026-11-29,1234,0.5\r\n2026-11-30,0,\r\n');
});

test('a name that a spreadsheet would run as a formula is inert', () => {
  expect(chartCsv({ columns: ['Stage', 'Leads'], rows: [['=1+1', 2]] })).toBe("Stage,Leads\r\n'=1+1,2\r\n");
});

test('the name of a file has letters of any script, and none of the signs', () => {
  expect(fileName('Messages a day')).toBe('messages-a-day');
  expect(fileName(' الرسائل / اليوم ')).toBe('الرسائل-اليوم');
});
