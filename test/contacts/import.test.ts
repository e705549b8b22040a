import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { contactRecord } from '../../functions/contacts/contract/contact.ts';
import { contactImport, type ContactImportRecord, importPreview, importsQueue } from '../../functions/contacts/contract/import.ts';
import { rowsPerSlice } from '../../functions/contacts/service/imports/read-slice.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { isFullSize, runSize } from '../support/run-size.ts';

let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
});
beforeEach(async () => {
  company = await newCompany({ roles: ['member', 'owner'] });
});
afterAll(() => testApp.stop());

const call = async (method: string, path: string, body?: unknown, token = company.tokens.member) =>
  testApp.call({ method, path: `/api/v1/contacts${path}`, token, ...(body === undefined ? {} : { body }) });
const jobIn = (answer: { status: number; body?: unknown; raw: string }): ContactImportRecord => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return z.object({ data: contactImport.strict() }).parse(answer.body).data;
};
const upload = async (file: string | Uint8Array, more: Record<string, unknown> = {}): Promise<ContactImportRecord> => {
  const job = jobIn(await call('POST', '/imports', { filename: 'people.csv', size: Buffer.byteLength(file), ...more }));
  const put = await fetch(job.upload?.url ?? '', { method: 'PUT', headers: job.upload?.headers ?? {}, body: Buffer.from(file) });
  expect(put.status).toBe(200);
  return job;
};
const started = async (file: string | Uint8Array): Promise<ContactImportRecord> =>
  jobIn(await call('POST', `/imports/${(await upload(file)).id}/start`));
const seen = async (id: number): Promise<ContactImportRecord> => jobIn(await call('GET', `/imports/${id}`));
const imported = async (file: string | Uint8Array): Promise<ContactImportRecord> => {
  const { id } = await started(file);
  await testApp.drain();
  return seen(id);
};
const errorsOf = async (job: ContactImportRecord): Promise<string> => (await fetch(job.errors_url ?? '')).text();
const contacts = async () => z.object({ data: z.array(contactRecord) }).parse((await call('GET', '?limit=100')).body).data;
const stored = async () =>
  (await testApp.dump()).filter(({ kind, c }) => kind === 'contact' && c === company.id).map(({ i, n, p, rev }) => ({ i, n, p, rev }));
const phone = (n: number): string => `49151${String(n).padStart(8, '0')}`;
const many = (rows: number): string => `phone,name\n${Array.from({ length: rows }, (_, n) => `${phone(n)},Contact ${n}\n`).join('')}`;

describe('an import', () => {
  test('is uploaded to a signed URL, started and processed by the queue; every column is stored', async () => {
    const tag = await testApp.call({ method: 'POST', path: '/api/v1/tags', token: company.tokens.member, body: { name: 'VIP' } });
    expect(tag.status).toBe(200);
    const first = await upload(
      '\uFEFFPhone;Name;Email;City;Country;Company;Groups;Tags;Subscribed;custom.plan\r\n' +
        '"+49 151 12345678";"Ada ""A"" Lovelace";ada@example.com;Köln;Germany;ACME;"Friends,Family";vip;no;gold\r\n',
    );
    expect(first).toMatchObject({ status: 'awaiting_upload', filename: 'people.csv', upload: { method: 'PUT' }, errors_url: null });
    const queued = jobIn(await call('POST', `/imports/${first.id}/start`));
    expect(queued).toMatchObject({ status: 'queued', upload: null, progress: { rows: 0 } });
    await testApp.drain();
    const done = await seen(first.id);
    expect(done).toMatchObject({ status: 'completed', error: null, errors_url: null, errors_truncated: false });
    expect(done.progress).toMatchObject({ rows: 1, created: 1, updated: 0, unchanged: 0, failed: 0, skipped_limit: 0 });
    expect(done.progress.bytes).toBe(done.progress.bytes_total);
    const [contact] = await contacts();
    expect(contact).toMatchObject({
      phone: '4915112345678',
      name: 'Ada "A" Lovelace',
      email: 'ada@example.com',
      city: 'Köln',
      country: 'Germany',
      company: 'ACME',
      subscribed: false,
      tags: [{ name: 'VIP' }],
      custom: { plan: 'gold' },
    });
    expect(contact?.groups.map(({ name }) => name).toSorted()).toEqual(['Family', 'Friends']);
  });

  test('subscribes a new contact only where its row or the call says so, and records it; a known one keeps its consent', async () => {
    const run = async (file: string, more: Record<string, unknown> = {}) => {
      const { id } = await upload(file, more);
      await call('POST', `/imports/${id}/start`);
      await testApp.drain();
    };
    await run(`phone,subscribed\n${phone(1)},yes\n${phone(2)},\n`);
    await run(`phone\n${phone(3)}\n`);
    await run(`phone\n${phone(4)}\n${phone(1)}\n${phone(2)}\n`, { subscribed: true });
    const of = async () => new Map((await contacts()).map(({ id, phone: digits, subscribed }) => [digits, { id, subscribed }]));
    const found = await of();
    expect([1, 2, 3, 4].map((n) => found.get(phone(n))?.subscribed)).toEqual([true, false, false, true]);
    const history = await call('GET', `/${found.get(phone(4))?.id}/consents`);
    expect(history.body).toMatchObject({ data: [{ scope: 'all', subscribed: true, source: 'import' }] });
  });

  test('switches the bot of a contact by a column, as an export has it, and leaves it where the cell is empty', async () => {
    const run = async (file: string) => {
      const { id } = await upload(file);
      await call('POST', `/imports/${id}/start`);
      await testApp.drain();
      return seen(id);
    };
    const flags = async () => new Map((await contacts()).map(({ phone: digits, enabled_ai_bot }) => [digits, enabled_ai_bot]));
    await run(`phone,enabled_ai_bot\n${phone(1)},true\n${phone(2)},no\n${phone(3)},\n`);
    const before = await flags();
    expect([1, 2, 3].map((n) => before.get(phone(n)))).toEqual([true, false, false]);
    const second = await run(`phone,enabled_ai_bot\n${phone(1)},\n${phone(2)},1\n${phone(3)},perhaps\n`);
    expect(second.progress).toMatchObject({ unchanged: 1, updated: 1, failed: 1 });
    expect(await errorsOf(second)).toContain('enabled_ai_bot: Must be true or false.');
    const after = await flags();
    expect([1, 2, 3].map((n) => after.get(phone(n)))).toEqual([true, true, false]);
  });

  test('reads the columns that the call names, the usual exports without, and leaves out unknown ones only where the call says so', async () => {
    const run = async (file: string, more: Record<string, unknown> = {}) => {
      const { id } = await upload(file, more);
      await call('POST', `/imports/${id}/start`);
      await testApp.drain();
      return seen(id);
    };
    const columns = { Handy: 'phone', Kundennummer: 'custom.customer_number', Fax: 'ignored' };
    const mapped = await run(`Handy,Kundennummer,Fax\n${phone(1)},K-7,123\n`, { columns });
    expect([mapped.status, mapped.progress.created]).toEqual(['completed', 1]);
    const google = `First Name,Last Name,E-mail 1 - Value,Phone 1 - Value,Photo\nAda,Lovelace,ada@example.com,+${phone(2)},x.png\n`;
    expect(await run(google)).toMatchObject({ status: 'failed', error: { code: 'invalid_header' } });
    expect(await run(google, { ignore_unknown_columns: true })).toMatchObject({ status: 'completed', progress: { created: 1 } });
    const found = new Map((await contacts()).map((each) => [each.phone, each]));
    expect(found.get(phone(1))).toMatchObject({ custom: { customer_number: 'K-7' } });
    expect(found.get(phone(2))).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' });
    const wrong = await call('POST', '/imports', { filename: 'a.csv', size: 1, columns: { Handy: 'telephone' } });
    expect([wrong.status, Object.keys((wrong.body as { errors: object }).errors)]).toEqual([422, ['columns.Handy']]);
  });

  test.each([
    [
      'Wati',
      'Name,Phone,AllowBroadcast,AllowSMS,Tags',
      ['Ada Lovelace,+49 151 00000001,TRUE,FALSE,', 'Bea,4915100000002,FALSE,TRUE,'],
      { name: 'Ada Lovelace', subscribed: true },
    ],
    [
      'Twilio',
      'phone_number,first_name,last_name,email,opt_in',
      ['+4915100000001,Ada,Lovelace,ada@example.com,yes', '+4915100000002,Bea,,,no'],
      { name: 'Ada Lovelace', email: 'ada@example.com', subscribed: true },
    ],
    [
      'HubSpot',
      'Record ID,First Name,Last Name,Email,Mobile Phone Number,Company name,City,Country/Region,Lifecycle Stage,Create Date',
      [
        '101,Ada,Lovelace,ada@example.com,+49 151 00000001,Engines Ltd,Berlin,Germany,Lead,2026-01-02 10:00',
        '102,Bea,,,+49 151 00000002,,,,,',
      ],
      { name: 'Ada Lovelace', company: 'Engines Ltd', city: 'Berlin', country: 'Germany', subscribed: false },
    ],
    [
      'Google Contacts',
      'First Name,Middle Name,Last Name,Organization Name,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value',
      ['Ada,,Lovelace,Engines Ltd,,* myContacts,Work,ada@example.com,Mobile,+49 151 00000001', 'Bea,,,,,,,,Mobile,+49 151 00000002'],
      { name: 'Ada Lovelace', email: 'ada@example.com', company: 'Engines Ltd', subscribed: false },
    ],
  ])('reads an export of %s by its own names, and subscribes no row that does not say so', async (_, header, rows, expected) => {
    const { id } = await upload(`${[header, ...rows].join('\r\n')}\r\n`, { ignore_unknown_columns: true });
    const { data } = z.object({ data: importPreview }).parse((await call('GET', `/imports/${id}/preview`)).body);
    expect(data.rows.map(({ becomes, reasons }) => [becomes, reasons])).toEqual([
      ['created', ''],
      ['created', ''],
    ]);
    await call('POST', `/imports/${id}/start`);
    await testApp.drain();
    expect(await seen(id)).toMatchObject({ status: 'completed', progress: { created: 2, failed: 0 } });
    const found = new Map((await contacts()).map((each) => [each.phone, each]));
    expect(found.get('4915100000001')).toMatchObject(expected);
    expect(found.get('4915100000002')).toMatchObject({ name: 'Bea', subscribed: false });
  });

  test('says of its first rows what each would become, as the import then makes it, and writes nothing', async () => {
    await imported(`phone,name,subscribed\n${phone(1)},Ada,yes\n${phone(2)},Bea,yes\n`);
    const file = `Handy;name;city;groups;subscribed;custom.size\n${phone(1)};Ada;;;;\n${phone(2)};Bea;Pune;New group;;\n${phone(3)};Cy;;;;42\n${phone(3)};Cy;Goa;;;\nabc;Di;;;;\n${phone(4)};Eve;;;maybe;\n`;
    const { id } = await upload(file, { columns: { Handy: 'phone' } });
    const kinds = ['contact', 'contact-identity', 'group', 'tag', 'field', 'counter', 'contact-import'];
    const facts = async () => JSON.stringify((await testApp.dump()).filter(({ kind }) => kinds.includes(String(kind))));
    const before = await facts();
    const answer = await call('GET', `/imports/${id}/preview`);
    const { data } = z.object({ data: importPreview.strict() }).parse(answer.body);
    expect(await facts()).toBe(before);
    expect(data.columns.slice(0, 2)).toEqual([
      { name: 'Handy', meaning: 'phone' },
      { name: 'name', meaning: 'name' },
    ]);
    expect(data.rows.map(({ becomes, subscribed, reasons }) => [becomes, subscribed, reasons])).toEqual([
      ['unchanged', true, ''],
      ['updated', true, ''],
      ['created', false, ''],
      ['updated', false, ''],
      ['failed', null, expect.stringContaining('phone')],
      ['failed', null, 'subscribed: Must be true or false.'],
    ]);
    expect(data.rows[2]).toMatchObject({ line: 4, contact_id: null, values: { phone: phone(3), name: 'Cy', 'custom.size': '42' } });
    expect(data.rows[1]).toMatchObject({ contact_id: expect.any(Number), values: { groups: 'New group' } });
    await call('POST', `/imports/${id}/start`);
    await testApp.drain();
    expect((await seen(id)).progress).toMatchObject({ created: 1, updated: 2, unchanged: 1, failed: 2 });
  });

  test('whose file cannot be read says so in the preview, and one without a file or of another company has none', async () => {
    const { id } = await upload('name,city\nAda,Pune\n');
    const refused = z.object({ data: importPreview }).parse((await call('GET', `/imports/${id}/preview`)).body).data;
    expect(refused).toMatchObject({ rows: [], error: { code: 'invalid_header' } });
    const empty = jobIn(await call('POST', '/imports', { filename: 'a.csv', size: 5 }));
    expect((await call('GET', `/imports/${empty.id}/preview`)).status).toBe(409);
    const stranger = await newCompany();
    expect((await call('GET', `/imports/${id}/preview`, undefined, stranger.tokens.owner)).status).toBe(404);
  });

  test('that is cancelled stops, keeps what it wrote, and starts no more', async () => {
    const { id } = await started(many(rowsPerSlice + 10));
    const cancelled = jobIn(await call('DELETE', `/imports/${id}`));
    expect([cancelled.status, cancelled.finished_at]).toEqual(['cancelled', expect.any(String)]);
    await testApp.drain();
    expect(await seen(id)).toMatchObject({ status: 'cancelled', progress: { rows: 0 } });
    expect(jobIn(await call('POST', `/imports/${id}/start`))).toMatchObject({ status: 'cancelled' });
    expect(await stored()).toEqual([]);
    const stranger = await newCompany();
    expect((await call('DELETE', `/imports/${id}`, undefined, stranger.tokens.owner)).status).toBe(404);
  });

  test('the same file again reports all rows as unchanged; empty cells erase nothing', async () => {
    const file = `phone,name,city\n${phone(1)},Ada,Pune\n${phone(2)},Bea,\n`;
    expect((await imported(file)).progress).toMatchObject({ created: 2 });
    const before = await stored();
    expect((await imported(file)).progress).toMatchObject({ rows: 2, created: 0, updated: 0, unchanged: 2 });
    expect((await imported(`phone,name\n${phone(1)},\n`)).progress).toMatchObject({ unchanged: 1 });
    expect(await stored()).toEqual(before);
    expect((await imported(`phone,name\n${phone(1)},Ada B.\n`)).progress).toMatchObject({ updated: 1 });
  });

  test('groups and tags that do not exist are created alike, once, and by no row that fails; an id that is none fails its row', async () => {
    const file =
      `phone,groups,tags\n${phone(1)},Hikers,Hot\n${phone(2)},hikers,"hot,Warm"\n12,Ghosts,Ghost\n${phone(3)},,4711\n` +
      `${phone(4)},,${'x'.repeat(51)}\n`;
    const done = await imported(file);
    expect(done.progress).toMatchObject({ rows: 5, created: 2, failed: 3 });
    expect(await errorsOf(done)).toContain('tags: There is no tag 4711.');
    const tags = await testApp.call({ method: 'GET', path: '/api/v1/tags', token: company.tokens.member });
    const names = z
      .object({ data: z.array(z.object({ name: z.string() })) })
      .parse(tags.body)
      .data.map(({ name }) => name);
    expect(names).toEqual(['Hot', 'Warm']);
    expect(JSON.stringify(await testApp.dump({ kind: 'group' }))).not.toContain('Ghosts');
    const found = (await contacts()).map((each) => [each.groups, each.tags].map((labels) => labels.map(({ name }) => name).toSorted()));
    expect(found.toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length)).toEqual([
      [['Hikers'], ['Hot']],
      [['Hikers'], ['Hot', 'Warm']],
    ]);
    expect((await imported(file)).progress).toMatchObject({ unchanged: 2, failed: 3 });
  });

  test('failed rows are listed with line and reasons; the others are imported', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`phone,name,email,tags\n${phone(1)},Ada,,\n12,Short,,\n${phone(2)},Bea,not-an-address,\n`),
      Buffer.from(`${phone(3)},`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`,,\n,Nobody,,\n${phone(4)},Cem,,99\n${phone(5)},"${'x'.repeat(300)}",,\n${phone(6)},Dee,,,,more\n${phone(7)},Eve,,\n`),
    ]);
    const done = await imported(bytes);
    expect(done).toMatchObject({ status: 'completed', errors_truncated: false });
    expect(done.progress).toMatchObject({ rows: 9, created: 2, failed: 7 });
    const lines = (await errorsOf(done)).split('\r\n');
    expect(lines[0]).toBe('line,reasons,phone,name,email,tags');
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual(['3', '4', '5', '6', '7', '8', '9']);
    expect(lines[1]).toContain('phone: ');
    expect(lines[2]).toContain('email: Must be an email address.');
    expect(lines[3]).toContain('UTF-8');
    expect(new Set((await contacts()).map(({ name }) => name))).toEqual(new Set(['Ada', 'Eve']));
  });

  test('rows with the same phone in any form are one contact', async () => {
    const done = await imported(`phone,name,city\n5215512345678,First,X\n+52 55 1234 5678,Last,\n`);
    expect(done.progress).toMatchObject({ rows: 2, created: 1, updated: 1 });
    expect(await contacts()).toMatchObject([{ name: 'Last', city: 'X' }]);
  });

  test('stops creating at the limit of the plan, counts skipped rows, and still updates', async () => {
    company = await newCompany({
      roles: ['member', 'owner'],
      input: { plan: { name: 'small', limits: { contacts: 3, users: null, numbers: null, pipelines: null } } },
    });
    expect((await imported(`phone,name\n${phone(1)},Ada\n`)).progress).toMatchObject({ created: 1 });
    const done = await imported(`phone,name\n${phone(1)},Ada B.\n${[2, 3, 4, 5].map((n) => `${phone(n)},P${n}\n`).join('')}`);
    expect(done.progress).toMatchObject({ rows: 5, created: 2, updated: 1, skipped_limit: 2, failed: 0 });
    expect((await errorsOf(done)).split('\r\n')).toHaveLength(4);
    expect(await stored()).toHaveLength(3);
  });

  test.each<[string, string | Uint8Array, string]>([
    ['a file of empty lines', '\n\n', 'empty_file'],
    ['a file without a phone column', 'name,email\nAda,a@example.com\n', 'invalid_header'],
    ['a file without a header', `${phone(1)},Ada\n`, 'invalid_header'],
    ['a file in UTF-16', Buffer.from('\uFEFFphone\n1\n', 'utf16le'), 'not_utf8'],
    ['a file whose header is not UTF-8', Buffer.concat([Buffer.from('phone,'), Buffer.from([0xff]), Buffer.from('\n')]), 'invalid_header'],
  ])('of %s fails as a whole with a reason', async (_, file, code) => {
    const done = await imported(file);
    expect(done).toMatchObject({ status: 'failed', error: { code } });
    expect(done.finished_at).not.toBeNull();
    expect(await stored()).toEqual([]);
  });

  test('of a header alone completes with no rows', async () => {
    expect(await imported('phone,name\r\n')).toMatchObject({ status: 'completed', progress: { rows: 0 } });
  });

  test('fails if its file is replaced after the start', async () => {
    const job = await upload(many(3));
    await call('POST', `/imports/${job.id}/start`);
    // not by its upload URL, which takes one file
    await fetch((job.upload?.url ?? '').split('?')[0] ?? '', { method: 'PUT', body: many(5) });
    await testApp.drain();
    expect(await seen(job.id)).toMatchObject({ status: 'failed', error: { code: 'file_changed' } });
  });

  test('cannot start before its upload, starts once, and is not visible to another company', async () => {
    const empty = jobIn(await call('POST', '/imports', { filename: 'a.csv', size: 10 }));
    const refused = await call('POST', `/imports/${empty.id}/start`);
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'upload_missing' }]);
    const { id } = await started(many(2));
    await call('POST', `/imports/${id}/start`);
    await testApp.drain();
    expect(jobIn(await call('POST', `/imports/${id}/start`))).toMatchObject({ status: 'completed', progress: { rows: 2, created: 2 } });
    const stranger = await newCompany();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/start'],
    ] as const)
      expect((await call(method, `/imports/${id}${path}`, undefined, stranger.tokens.owner)).status).toBe(404);
    expect((await call('POST', '/imports', { filename: 'a.csv', size: 500_000_001 })).status).toBe(422);
    expect((await call('POST', '/imports', {})).status).toBe(422);
  });

  test('are listed newest first, by page and by cursor', async () => {
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(jobIn(await call('POST', '/imports', { filename: `${i}.csv`, size: 1 })).id);
    await testApp.drain();
    const list = z.object({ data: z.array(contactImport), meta: z.object({ total: z.int(), next_cursor: z.string().nullable() }) });
    const first = list.parse((await call('GET', '/imports?limit=2')).body);
    expect([first.data.map(({ id }) => id), first.meta.total]).toEqual([ids.slice(0, 2), 3]);
    const rest = list.parse((await call('GET', `/imports?limit=2&cursor=${first.meta.next_cursor}`)).body);
    expect(rest.data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(list.parse((await call('GET', '/imports?limit=2&page=2')).body).data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(list.parse((await call('GET', '/imports?page=9')).body).data).toEqual([]);
    expect((await call('GET', '/imports?cursor=nonsense')).status).toBe(400);
  });
});

describe('slices', () => {
  const rows = rowsPerSlice + 40;

  test('process a long file one after another, with visible progress', async () => {
    const done = await imported(many(rows));
    expect(done).toMatchObject({ status: 'completed', progress: { rows, created: rows, failed: 0 } });
    expect(await stored()).toHaveLength(rows);
  });

  test('delivered again, after the end or in between, change nothing', async () => {
    const { id } = await started(`phone,name\n${phone(1)},Ada\n`);
    await testApp.drain();
    const [before, job] = [await stored(), await seen(id)];
    for (const slice of [0, 1, 7])
      await testApp.invokeFunction('contacts-imports', sqsEvent({ company_id: company.id, import_id: id, slice }));
    expect(await stored()).toEqual(before);
    expect(await seen(id)).toEqual({ ...job, errors_url: null });
  });

  test('that fail at any call are repeated with the same contacts and counts', async () => {
    const file = `phone,name\n${Array.from({ length: 30 }, (_, n) => `${n % 10 === 9 ? '12' : phone(n)},P${n}\n`).join('')}`;
    let positions = 0;
    // every call at full size, every fourth one otherwise
    const apart = isFullSize() ? 1 : 4;
    for (let at = 1, broken = true; broken; at += apart) {
      company = await newCompany({ roles: ['member', 'owner'] });
      const { id } = await started(file);
      let writes = 0;
      let broke = 0;
      const hook = testApp.onTable(({ command, when }) => {
        const isWrite = /Put|Update|Transact|Statement/.test(command);
        if (!isWrite || when !== 'after' || broke > 0) return;
        if (++writes < at) return;
        broke++;
        throw tableError('InternalServerError');
      });
      await testApp.drain();
      hook[Symbol.dispose]();
      const done = await seen(id);
      broken = broke > 0;
      positions += broke;
      expect(done).toMatchObject({ status: 'completed', progress: { rows: 30, created: 27, updated: 0, unchanged: 0, failed: 3 } });
      expect((await errorsOf(done)).split('\r\n')).toHaveLength(5);
      expect(await stored()).toHaveLength(27);
    }
    expect(positions * apart).toBeGreaterThan(6);
  });

  test('under deliveries that are repeated, lost and shuffled end in the same contacts and counts', async () => {
    for (const seed of Array.from({ length: runSize(3, 20) }, (_, n) => n + 1)) {
      company = await newCompany({ roles: ['member', 'owner'] });
      const { id } = await started(many(25));
      await testApp.drain({ disorder: { seed, duplicate: 0.3, crash: 0.3, reorder: true } });
      await testApp.drain();
      expect(await seen(id)).toMatchObject({ status: 'completed', progress: { rows: 25, created: 25, unchanged: 0, failed: 0 } });
      expect(await stored()).toHaveLength(25);
      expect(testApp.deadLettersOf(importsQueue)).toEqual([]);
    }
  });
});

function sqsEvent(body: unknown): unknown {
  return {
    Records: [{ messageId: 'again', body: JSON.stringify(body), attributes: { ApproximateReceiveCount: '2' }, messageAttributes: {} }],
  };
}
