import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine } from '../../shared/runtime/csv-line.ts';
import {
  type CsvRecord,
  CsvReader,
  type Delimiter,
  detectDelimiter,
  maxRecordBytes,
  textStart,
} from '../../functions/contacts/domain/imports/csv-reader.ts';
import { mergeRows, parseHeader, parseNames, formatNames, rowToBody } from '../../functions/contacts/domain/imports/columns.ts';
import { countryByName } from '../../functions/contacts/domain/imports/country-names.ts';

const readAll = (bytes: Uint8Array, delimiter: Delimiter = ',', chunk = bytes.length || 1): CsvRecord[] => {
  const reader = new CsvReader(delimiter, { offset: 0, line: 1 });
  const records: CsvRecord[] = [];
  for (let at = 0; at < bytes.length; at += chunk) records.push(...reader.push(bytes.subarray(at, at + chunk)));
  return [...records, ...reader.end()];
};
const fieldsOf = (text: string, delimiter: Delimiter = ','): string[][] =>
  readAll(Buffer.from(text), delimiter).map(({ fields }) => fields);

describe('CSV', () => {
  test.each<[string, string, string[][]]>([
    [
      'plain rows',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['line ends of Windows, of old Macs, and none at the end', 'a\r\nb\rc', [['a'], ['b'], ['c']]],
    ['empty values, at the end too', ',a,\n', [['', 'a', '']]],
    ['quotes with delimiters, line ends and quotes inside', '"a,b","c\r\nd","e""f"\n', [['a,b', 'c\r\nd', 'e"f']]],
    ['a quoted empty value', '"",x\n', [['', 'x']]],
    ['quotes within a plain value, as they stand', 'a 5" pipe,b\n', [['a 5" pipe', 'b']]],
    ['a quoted value and an empty one behind it', '"a",', [['a', '']]],
    ['empty lines, which are none', '\n\r\na\n\n', [['a']]],
    ['emoji and accents', 'Zoë,👩‍👩‍👧\n', [['Zoë', '👩‍👩‍👧']]],
  ])('reads %s', (_, text, rows) => {
    expect(fieldsOf(text)).toEqual(rows);
  });

  const anyRows = fc.array(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 2, maxLength: 4 }), { maxLength: 8 });

  test('reads back the output of the export, in chunks of any size and from the end of any record', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 1, max: 9 }), (rows, chunk) => {
        const bytes = Buffer.from(rows.map((row) => csvLine(row, { isRaw: true })).join(''));
        const records = readAll(bytes, ',', chunk);
        expect(records.map(({ fields }) => fields)).toEqual(rows.map((row) => row.map((field) => field.toWellFormed())));
        for (const [index, { next, nextLine }] of records.entries()) {
          const reader = new CsvReader(',', { offset: next, line: nextLine });
          const rest = [...reader.push(bytes.subarray(next)), ...reader.end()];
          expect(rest).toEqual(records.slice(index + 1));
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test('invalid UTF-8 makes only its own row fail, and rows have their line numbers', () => {
    const bytes = Buffer.concat([Buffer.from('a\n"x\ny"\n'), Buffer.from([0xc3, 0x28, 0x0a]), Buffer.from('b\n')]);
    expect(readAll(bytes).map(({ line, fields, problem }) => [line, problem ?? fields[0]])).toEqual([
      [1, 'a'],
      [2, 'x\ny'],
      [4, 'not_utf8'],
      [5, 'b'],
    ]);
  });

  test('a row with a huge value fails without being stored, and the next row is read', () => {
    const text = `a\n"${'x'.repeat(maxRecordBytes)}\n"\nb\n`;
    expect(readAll(Buffer.from(text), ',', 4_096).map(({ problem, fields }) => problem ?? fields[0])).toEqual(['a', 'too_long', 'b']);
  });

  test('text after a closing quote and an unclosed quote are reported with their line', () => {
    expect(readAll(Buffer.from('"a"b,c\nd\n')).map(({ problem, line }) => [line, problem])).toEqual([
      [1, 'text_after_quote'],
      [2, undefined],
    ]);
    expect(readAll(Buffer.from('a\n"b\nc\n')).map(({ problem, line }) => [line, problem])).toEqual([
      [1, undefined],
      [2, 'quote_not_closed'],
    ]);
  });

  test.each<[string, Delimiter]>([
    ['phone,name\n1;2;3', ','],
    ['phone;name;city', ';'],
    ['phone\tname', '\t'],
    ['phone|"a,b,c,d"', '|'],
    ['phone', ','],
  ])('finds the delimiter of %j', (text, delimiter) => {
    expect(detectDelimiter(Buffer.from(text))).toBe(delimiter);
  });

  test('a byte order mark is skipped; UTF-16 is detected', () => {
    expect(textStart(Buffer.from('\uFEFFphone'))).toBe(3);
    expect(textStart(Buffer.from('phone'))).toBe(0);
    expect(textStart(Buffer.from('\uFEFFphone', 'utf16le'))).toBeUndefined();
  });
});

describe('the header', () => {
  test('accepts column names in any case, with spaces or underscores, and common synonyms', () => {
    expect(parseHeader(['Phone Number', 'NAME', 'E-Mail', 'custom.Plan', 'field.size', 'created_at'])).toEqual([
      { is: 'phone' },
      { is: 'name' },
      { is: 'email' },
      { is: 'custom', key: 'Plan' },
      { is: 'custom', key: 'size' },
      { is: 'ignored' },
    ]);
  });

  test.each([
    [
      'Google Contacts',
      ['First Name', 'Last Name', 'E-mail 1 - Value', 'Phone 1 - Value', 'Organization Name'],
      'first_name last_name email phone company',
    ],
    ['HubSpot', ['First Name', 'Last Name', 'Email', 'Mobile Phone Number', 'Country/Region'], 'first_name last_name email phone country'],
    ['Wati', ['Name', 'Phone', 'AllowBroadcast'], 'name phone subscribed'],
    ['Twilio', ['Phone Number', 'First Name', 'Last Name', 'Email'], 'phone first_name last_name email'],
  ])('of an export of %s is read without a mapping', (_, header, columns) => {
    const parsed = parseHeader(header);
    expect('refused' in parsed ? parsed.refused : parsed.map(({ is }) => is).join(' ')).toBe(columns);
  });

  test.each([
    ['without a phone', ['name', 'email'], 'one of them must be phone'],
    ['that is a row of data', ['+4915112345678', 'Ada'], 'There is no column "+4915112345678"'],
    ['with an unknown column', ['phone', 'shoe size'], 'There is no column "shoe size"'],
    ['with a column twice', ['phone', 'mobile'], 'The column phone is there twice'],
    ['with a nameless column', ['phone', ' '], 'Column 2 has no name'],
    ['with a key that no field can have', ['phone', 'custom.9lives'], 'custom.9lives'],
  ])('%s is rejected', (_, header, sentence) => {
    const refused = parseHeader(header);
    expect('refused' in refused && refused.refused).toContain(sentence);
  });
});

describe('a row', () => {
  const columns = parseHeader(['phone', 'name', 'country', 'groups', 'tags', 'subscribed', 'custom.plan']);
  if ('refused' in columns) throw new Error(columns.refused);
  const tags = (name: string): number | undefined => ({ VIP: 7, 3: 3 })[name];

  test('becomes the body of an upsert without empty cells', () => {
    expect(rowToBody(columns, ['123', ' Ada ', 'Germany', 'Friends, Family', 'VIP,3', 'no', 'gold'], tags)).toEqual({
      body: {
        phone: '123',
        name: 'Ada',
        country_id: 276,
        groups: ['Friends', 'Family'],
        tags: [7, 3],
        subscribed: false,
        custom: { plan: 'gold' },
      },
    });
    expect(rowToBody(columns, ['123'], tags)).toEqual({ body: { phone: '123' } });
  });

  test('reports all its errors', () => {
    const read = rowToBody(columns, ['', 'Ada', 'Atlantis', '', 'unknown', 'maybe', '', 'more'], tags);
    expect('errors' in read && read.errors.map(({ column }) => column)).toEqual(['', 'country', 'tags', 'subscribed', 'phone']);
  });

  test.each([
    ['Germany', 276],
    ['de', 276],
    ['DEU', 276],
    ['276', 276],
    ['cote d’ivoire', undefined],
    ["Côte d'Ivoire", 384],
    ["Cote d'Ivoire", 384],
    ['004', 4],
    ['999', undefined],
  ])('accepts the country %s', (given, number) => {
    expect(countryByName(given)).toBe(number);
  });

  test('lists of names are read back unchanged, also with commas inside names', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }).map((name) => `n${name}n`)), (names) => {
        expect(parseNames(formatNames(names))).toEqual(names);
      }),
      { seed: 1 },
    );
    expect(formatNames(['Friends', 'Family'])).toBe('Friends,Family');
  });

  test('rows of one phone in any form are merged: the last values, all groups and tags', () => {
    const rows = mergeRows([
      { row: 0, body: { phone: '5215512345678', name: 'A', city: 'X', tagIds: [1] } },
      { row: 1, body: { phone: '4915112345678', name: 'C' } },
      { row: 2, body: { phone: '525512345678', name: 'B', city: undefined, tagIds: [2] } },
    ]);
    expect(rows).toMatchObject([
      { rows: [0, 2], body: { phone: '5215512345678', name: 'B', city: 'X', tagIds: [1, 2] } },
      { rows: [1], body: { name: 'C' } },
    ]);
  });
});
