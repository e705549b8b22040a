import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { convertExport } from '../../bin/admin/convert-export.ts';
import { contactsIn, type ImportSource } from '../../bin/admin/import-sources.ts';
import { type Ran, startCommandHost } from '../support/command-line.ts';
import { newCompany } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Exports of other products become contacts here, with the consent that they have, and with none that they do not. */
const folder = mkdtempSync(join(tmpdir(), 'switchboard-exports-'));
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(AWS_|TABLE_NAME$|SEALING_|ERASURE_)/.test(name)));
  writeFileSync(join(folder, 'runtime.json'), JSON.stringify({ pid: process.pid, env }));
});
afterAll(async () => {
  await commands[Symbol.asyncDispose]();
  await testApp.stop();
  rmSync(folder, { recursive: true, force: true });
});

const commands = startCommandHost();
let files = 0;
const fileOf = (content: string | Uint8Array, ending = 'csv'): string => {
  const file = join(folder, `export-${++files}.${ending}`);
  writeFileSync(file, content);
  return file;
};
const importFrom = async (source: ImportSource, file: string): Promise<{ ran: Ran; contacts: Record<string, unknown>[] }> => {
  const company = await newCompany();
  const ran = await commands.run([
    'contacts',
    'import',
    file,
    '--from',
    source,
    '--company',
    String(company.id),
    '--data',
    folder,
    '--json',
  ]);
  const listed = await testApp.call({ method: 'GET', path: '/api/v1/contacts', token: company.tokens.owner });
  return { ran, contacts: (listed.body as { data: Record<string, unknown>[] }).data };
};
const byPhone = (a: Record<string, unknown>, b: Record<string, unknown>): number => String(a['phone']).localeCompare(String(b['phone']));
const convertedOf = async (source: ImportSource, content: string | Uint8Array, ending?: string): Promise<string> =>
  readFileSync((await convertExport(fileOf(content, ending), source, { restart: false })).file, 'utf8');

describe('Twilio', () => {
  const log = [
    'From,To,Body,Status,SentDate,Direction,ErrorCode',
    'whatsapp:+15550001111,whatsapp:+4915123456701,Your order,delivered,2026-03-01T10:00:00Z,outbound-api,',
    'whatsapp:+4915123456702,whatsapp:+15550001111,STOP,received,2026-03-02T10:00:00Z,inbound,',
    'whatsapp:+4915123456702,whatsapp:+15550001111,Start,received,2026-03-01T10:00:00Z,inbound,',
    'whatsapp:+15550001111,whatsapp:+4915123456703,Sale,undelivered,2026-03-03T10:00:00Z,outbound-api,21610',
    '+4915123456704,+15550001111,An SMS,received,2026-03-03T10:00:00Z,inbound,',
  ].join('\n');

  test('of a log the customers by WhatsApp are imported, with what they decided last', async () => {
    const file = fileOf(log);
    const { ran, contacts } = await importFrom('twilio', file);
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, { rows: 3, created: 3, failed: 0, rows_without_phone: 1 }]);
    expect(contacts.toSorted(byPhone).map(({ phone, subscribed }) => [phone, subscribed])).toEqual([
      ['4915123456701', false],
      ['4915123456702', false],
      ['4915123456703', false],
    ]);
    expect(existsSync(`${file}.switchboard.csv`)).toBe(false);
  });

  test('lines of JSON are read, packed too; a start word subscribes', async () => {
    const line = {
      from: 'whatsapp:+4915123456705',
      to: 'whatsapp:+15550001111',
      body: 'start',
      direction: 'inbound',
      date_sent: '2026-03-02T10:00:00Z',
    };
    const packed = gzipSync(`${JSON.stringify(line)}\n`);
    expect(await convertedOf('twilio', packed, 'json.gz')).toContain("'+4915123456705,,,,,,,true\r\n");
  });
});

describe('WATI', () => {
  test('contacts come with name, tags, consent and their attributes', async () => {
    const file = fileOf(
      'Name,CountryCode,Phone,Allow Broadcast,Tags,Allow SMS,Customer No.,Plan\nAda,49,15123456711,TRUE,"vip, berlin",TRUE,77,gold\nBea,49,4915123456712,FALSE,,TRUE,,\n',
    );
    const { contacts } = await importFrom('wati', file);
    expect(contacts.toSorted(byPhone)).toMatchObject([
      {
        phone: '4915123456711',
        name: 'Ada',
        subscribed: true,
        groups: [{ name: 'berlin' }, { name: 'vip' }],
        custom: { Plan: 'gold', 'Customer No_': '77' },
      },
      { phone: '4915123456712', name: 'Bea', subscribed: false },
    ]);
  });

  test('the answer of its API is read as it is written', async () => {
    const answer = JSON.stringify(
      {
        result: 'success',
        contact_list: [{ wAid: '4915123456713', fullName: 'Cleo', allowBroadcast: true, customParams: [{ name: 'city', value: 'Köln' }] }],
      },
      undefined,
      2,
    );
    const converted = await convertedOf('wati', answer, 'json');
    expect(converted).toMatch(/custom\.city\r\n/);
    expect(converted).toContain("'+4915123456713,Cleo,,,,,,true,Köln\r\n");
  });
});

test('360dialog: of stored webhooks those who wrote, the newest decision counts', async () => {
  const webhook = (text: string, timestamp: number) =>
    JSON.stringify({
      entry: [
        {
          changes: [
            {
              value: {
                contacts: [{ wa_id: '4915123456721', profile: { name: 'Dora' } }],
                messages: [{ from: '4915123456721', timestamp: String(timestamp), type: 'text', text: { body: text } }],
              },
            },
          ],
        },
      ],
    });
  const lines = [webhook('start', 1_770_000_000), webhook('Stop.', 1_770_000_900), webhook('Hello', 1_770_000_950), '{"statuses":[]}'].join(
    '\n',
  );
  expect(await convertedOf('360dialog', lines, 'jsonl')).toContain("'+4915123456721,Dora,,,,,,false\r\n");
});

describe('Chatwoot', () => {
  test('contacts come with their attributes; whom it blocks is not subscribed; consent it knows none', async () => {
    const file = fileOf(
      [
        'id,name,email,phone_number,identifier,custom_attributes,blocked',
        '1,Ada,ada@example.com,+4915123456731,crm-7,"{""plan""=>""gold"", ""seats""=>nil}",false',
        '2,Bea,,+4915123456732,,{},true',
        '3,Cleo,cleo@example.com,,,{},false',
      ].join('\n'),
    );
    const { ran, contacts } = await importFrom('chatwoot', file);
    expect(JSON.parse(ran.out)).toMatchObject({ created: 2, rows_without_phone: 1 });
    expect(contacts.toSorted(byPhone)).toMatchObject([
      { phone: '4915123456731', email: 'ada@example.com', subscribed: false, custom: { identifier: 'crm-7', plan: 'gold' } },
      { phone: '4915123456732', subscribed: false },
    ]);
    expect(contactsIn('chatwoot', { phone_number: '+4915123456731', blocked: 'false' })).toEqual([
      { phone: '+4915123456731', subscribed: undefined, custom: {} },
    ]);
  });
});

describe('a converted file', () => {
  test('is of its owner alone, is found again by the next run, and made anew from a newer export', async () => {
    const file = fileOf('name,phone_number\nAda,+4915123456741\n');
    const first = await convertExport(file, 'chatwoot', { restart: false });
    expect([first.contacts, statSync(first.file).mode & 0o777]).toEqual([1, 0o600]);
    expect((await convertExport(file, 'chatwoot', { restart: false })).contacts).toBeUndefined();
    const later = new Date(Date.now() + 10_000);
    utimesSync(file, later, later);
    expect((await convertExport(file, 'chatwoot', { restart: false })).contacts).toBe(1);
  });

  test.each([
    ['a file that is not there', join(folder, 'none.csv'), /There is no file/],
    ['a file of something else', undefined, /has no contact that could be read as an export of wati/],
  ])('is not made of %s', async (_what, file, reason) => {
    await expect(convertExport(file ?? fileOf('a,b\n1,2\n'), 'wati', { restart: false })).rejects.toThrow(reason);
  });
});

test('a product that is not known is refused with those that are', async () => {
  const ran = await commands.run(['contacts', 'import', fileOf('phone\n'), '--from', 'other', '--company', '1', '--data', folder]);
  expect([ran.code === 0, ran.err]).toEqual([false, expect.stringContaining('twilio, wati, 360dialog, chatwoot')]);
});
