import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { updateCompany } from '../../functions/account/service/companies.ts';
import { createContact, getContact } from '../../functions/contacts/service/contacts.ts';
import { updateIdentities } from '../../functions/contacts/service/merge-identities.ts';
import { contactBody } from '../../functions/contacts/contract/contact-body.ts';
import { lockPidFile } from '../../lib/local/data-folder.ts';
import { unwrap, newCompany } from '../support/company.ts';
import { startTableGate, type TableGate } from './table-gate.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type Ran, runProcess, startCommandHost } from '../support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-admin-'));
let testApp: TestApp;
let gate: TableGate;
let company = 0;
let files = 0;
beforeAll(async () => {
  testApp = await startTestApp();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(AWS_|TABLE_NAME$|SEALING_|ERASURE_)/.test(name)));
  gate = await startTableGate(env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '');
  env['AWS_ENDPOINT_URL_DYNAMODB'] = gate.url;
  writeFileSync(join(folder, 'runtime.json'), JSON.stringify({ pid: process.pid, env }));
});
beforeEach(async () => {
  gate.before = () => undefined;
  company = (await newCompany()).id;
});
afterAll(async () => {
  await commands[Symbol.asyncDispose]();
  gate.stop();
  await testApp.stop();
  rmSync(folder, { recursive: true, force: true });
});

const commands = startCommandHost();
/** One that is looked at while it runs gets a process of its own. */
const admin = (args: readonly string[], during?: (child: ChildProcess) => void): Promise<Ran> => {
  const all = ['contacts', ...args, '--company', String(company), '--data', folder];
  return during ? runProcess(all, { during }) : commands.run(all);
};
const counts = (ran: Ran): unknown => {
  if (ran.out === '') throw new Error(ran.err);
  return JSON.parse(ran.out);
};
const fileOf = (content: string | Uint8Array): string => {
  const file = join(folder, `people-${++files}.csv`);
  writeFileSync(file, content);
  return file;
};
const stateOf = (file: string): string => `${file}.company-${company}.progress.json`;
const importedRows = (file: string): number => {
  if (!existsSync(stateOf(file))) return 0;
  return (JSON.parse(readFileSync(stateOf(file), 'utf8')) as { counts: { rows: number } }).counts.rows;
};
const stored = async () => (await testApp.dump()).filter(({ kind, c }) => kind === 'contact' && c === company);
const phone = (n: number): string => `49152${String(n).padStart(8, '0')}`;
const many = (rows: number): string => `phone,name\n${Array.from({ length: rows }, (_, n) => `${phone(n)},Contact ${n}\n`).join('')}`;

describe('contacts import', () => {
  test('imports a file, prints the result, and leaves no progress file', async () => {
    const file = fileOf(`phone;name;city;groups;custom.plan\r\n+49 152 1;"Ada; L.";Köln;Friends;gold\r\n${phone(2)};Bea;;;\r\n`);
    const ran = await admin(['import', file, '--json']);
    expect(counts(ran)).toEqual({
      rows: 2,
      created: 1,
      updated: 0,
      unchanged: 0,
      failed: 1,
      skipped_limit: 0,
      errors_file: `${file}.errors.csv`,
    });
    expect(ran.code).toBe(1);
    expect(readFileSync(`${file}.errors.csv`, 'utf8')).toMatch(
      /^\uFEFFline,reasons,phone,name,city,groups,custom.plan\r\n2,"phone: [^\r]+"Ada; L."/,
    );
    expect(existsSync(stateOf(file))).toBe(false);
    const again = await admin(['import', file, '--json']);
    expect(counts(again)).toMatchObject({ rows: 2, unchanged: 1, failed: 1 });
    expect(await stored()).toHaveLength(1);
    // the errors file is imported as it is, once its rows are mended
    const mended = fileOf(readFileSync(`${file}.errors.csv`, 'utf8').replace('+49 152 1', phone(1)));
    expect(counts(await admin(['import', mended, '--json']))).toMatchObject({ rows: 1, created: 1, failed: 0 });
  });

  test('after a kill the same command continues, and the counts equal those of one run', async () => {
    const rows = 1_100;
    const file = fileOf(
      many(rows)
        .replace(`${phone(10)},`, '12,')
        .replace(`${phone(900)},`, '13,'),
    );
    const killed = await admin(['import', file, '--json'], (child) => {
      let writes = 0;
      gate.before = (action) => {
        if (action !== 'TransactWriteItems' || importedRows(file) < 500 || ++writes < 3) return undefined;
        child.kill('SIGKILL');
        return new Promise(() => undefined);
      };
    });
    gate.before = () => undefined;
    expect(killed.out).toBe('');
    expect(importedRows(file)).toBe(500);
    expect((await stored()).length).toBeLessThan(rows);
    const ran = await admin(['import', file, '--json']);
    expect(counts(ran)).toMatchObject({
      rows,
      created: rows - 2,
      updated: 0,
      unchanged: 0,
      failed: 2,
      resumed_at_line: expect.any(Number),
    });
    expect(await stored()).toHaveLength(rows - 2);
    const errors = readFileSync(`${file}.errors.csv`, 'utf8').split('\r\n');
    expect(errors.map((line) => line.split(',')[0])).toEqual(['\uFEFFline', '12', '902', '']);
  });

  test('after an interrupt it completes the slice and explains how to continue', async () => {
    const file = fileOf(many(600));
    let isInterrupted = false;
    const ran = await admin(['import', file], (child) => {
      gate.before = async (action) => {
        if (action !== 'TransactWriteItems' || isInterrupted) return;
        isInterrupted = true;
        child.kill('SIGINT');
        // the process has no other work than this request, so its signal handler runs while the request waits
        await new Promise((resolve) => setTimeout(resolve, 500));
      };
    });
    expect(ran).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('Stopped at line 502. Run the same command again to continue.'),
    });
    expect(counts(await admin(['import', file, '--json']))).toMatchObject({ rows: 600, created: 600 });
  });

  test('a changed file or an invalid progress file is rejected; --restart starts over', async () => {
    const file = fileOf(many(3));
    writeFileSync(stateOf(file), 'nonsense');
    expect(await admin(['import', file])).toMatchObject({ code: 1, err: expect.stringContaining('--restart') });
    const { size, mtimeMs } = statSync(file);
    const state = {
      bytes: size + 1,
      modifiedAt: mtimeMs,
      cursor: 11,
      line: 2,
      counts: { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, skippedLimit: 0 },
      errorBytes: 0,
    };
    writeFileSync(stateOf(file), JSON.stringify(state));
    expect(await admin(['import', file])).toMatchObject({ code: 1, err: expect.stringContaining('has changed') });
    expect(counts(await admin(['import', file, '--restart', '--json']))).toMatchObject({ created: 3 });
  });

  test.each([
    ['an empty file', '', 'The file is empty.'],
    ['a file without a phone column', 'name\nAda\n', 'one of them must be phone'],
    ['a file in UTF-16', Buffer.from('\uFEFFphone\n', 'utf16le'), 'UTF-16'],
  ])('explains the error of %s, and leaves no progress file', async (_, content, sentence) => {
    const file = fileOf(content);
    expect(await admin(['import', file])).toMatchObject({ code: 1, out: '', err: expect.stringContaining(sentence) });
    expect(existsSync(stateOf(file))).toBe(false);
  });

  test('of a file that another process imports is refused, and leaves its progress alone', async () => {
    const file = fileOf(many(3));
    const unlock = lockPidFile(`${stateOf(file)}.pid`);
    expect(await admin(['import', file])).toMatchObject({ code: 1, err: expect.stringContaining(`Another import of ${file} is running.`) });
    expect(await stored()).toEqual([]);
    unlock?.();
    expect(counts(await admin(['import', file, '--json']))).toMatchObject({ created: 3 });
  });

  test('a missing file or company is reported', async () => {
    expect(await admin(['import', join(folder, 'none.csv')])).toMatchObject({ code: 2, err: expect.stringContaining('There is no file') });
    company = 999;
    expect(await admin(['import', fileOf(many(1))])).toMatchObject({ code: 1, err: expect.stringContaining('There is no') });
  });
});

describe('contacts check', () => {
  test('finds the twins of before, and merges them: groups and fields are added, a no stays a no', async () => {
    const create = async (body: Record<string, unknown>) => unwrap(await createContact(company, contactBody.parse(body)));
    const ada = await create({ phone: '+49 151 23456789', name: 'Ada', groups: ['Readers'] });
    const twin = await create({ phone: '+49 151 23456700', city: 'Bonn', groups: ['Guests'], subscribed: false });
    const alone = await create({ phone: '+49 151 23456701', name: 'Bo' });
    // as they were stored before such phones were refused
    for (const [id, phone] of [
      [twin.id, '015123456789'],
      [alone.id, '015223456789'],
    ] as const)
      expect(await updateIdentities(company, id, { phone })).toMatchObject({ id });
    await testApp.drain();
    expect((await admin(['check', '--json'])).code).toBe(1);
    expect(counts(await admin(['check', '--json']))).toMatchObject([
      { contact_id: alone.id, phone: '015223456789', read_as: null, done: 'found' },
      { contact_id: twin.id, read_as: null },
    ]);
    unwrap(await updateCompany(company, { settings: { default_country: 'DE' } }));
    expect(counts(await admin(['check', '--merge', '--json']))).toMatchObject([
      { contact_id: alone.id, read_as: '4915223456789', twin_id: null, done: 'changed' },
      { contact_id: twin.id, read_as: '4915123456789', twin_id: ada.id, done: 'merged' },
    ]);
    expect(unwrap(await getContact(company, ada.id))).toMatchObject({
      name: 'Ada',
      city: 'Bonn',
      subscribed: false,
      groups: [{ name: 'Readers' }, { name: 'Guests' }],
    });
    expect(unwrap(await getContact(company, alone.id)).phone).toBe('4915223456789');
    expect(unwrap(await getContact(company, twin.id)).id).toBe(ada.id);
    const again = await admin(['check', '--json']);
    expect([again.code, counts(again)]).toEqual([0, []]);
  });
});

describe('contacts export', () => {
  const add = async (body: Record<string, unknown>): Promise<void> => {
    unwrap(await createContact(company, contactBody.parse(body)));
  };

  test('writes a file that the import reads back without changes', async () => {
    await add({
      phone: '+4915200000001',
      name: 'Zoë "Z", the first',
      groups: ['A', 'B'],
      custom: { plan: 'gold', note: 'two\nlines' },
      city: 'Köln',
      country_id: 276,
    });
    await add({ phone: '+4915200000002', name: ' =1+1', subscribed: false, email: 'b@example.com', company: 'ACME; Inc' });
    await testApp.drain();
    const file = join(folder, 'exported.csv');
    expect(counts(await admin(['export', file, '--json']))).toEqual({ contacts: 2, file });
    expect(existsSync(`${file}.part`)).toBe(false);
    expect(counts(await admin(['import', file, '--json']))).toMatchObject({ rows: 2, unchanged: 2, failed: 0 });
    expect(await admin(['export', file])).toMatchObject({ code: 2, err: expect.stringContaining('--force') });
    const printed = await admin(['export']);
    // a file shows spreadsheets its encoding; a pipe has the rows alone
    expect(`\uFEFF${printed.out}`).toBe(readFileSync(file, 'utf8'));
    expect(printed).toMatchObject({ code: 0, err: '' });
  });

  test('of no contacts is a header', async () => {
    const ran = await admin(['export']);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out.split('\r\n')).toHaveLength(2);
  });

  test('ends without an error when its reader stops', async () => {
    for (let n = 0; n < 5; n++) await add({ phone: `+${phone(n)}` });
    const ran = await admin(['export'], (child) => child.stdout?.destroy());
    expect(ran.err).toBe('');
  });
});
