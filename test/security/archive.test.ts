import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { archiveBucket, archiveSetting } from '../../functions/messaging/contract/archive.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { listObjects, wholeObject } from '../../shared/objects/bucket.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What a company keeps no longer goes to the archive before it is deleted: each message, and nothing of who wrote it and what it contains. */
let testApp: TestApp;
let provider: ProviderStub;
beforeAll(async () => {
  provider = await startProviderStub();
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url } });
});
afterAll(async () => {
  await testApp.stop();
  await provider.stop();
});

const row = z.looseObject({ message_id: z.int(), contact_id: z.int(), direction: z.enum(['inbound', 'outbound']) });
const archived = async ({ id }: TestCompany): Promise<{ key: string; rows: z.output<typeof row>[]; text: string }[]> => {
  const keys: string[] = [];
  for await (const key of listObjects(archiveBucket, `messages/company_id=${id}/`)) keys.push(key);
  return Promise.all(
    keys.map(async (key) => {
      const text = gunzipSync((await wholeObject(archiveBucket, key)) ?? Buffer.alloc(0)).toString('utf8');
      return {
        key,
        text,
        rows: text
          .trimEnd()
          .split('\n')
          .map((line) => row.parse(JSON.parse(line))),
      };
    }),
  );
};
const write = async (company: TestCompany, from: string, text: string): Promise<void> => {
  await testApp.call(inboundText(company, { from, text, at: testApp.clock.now() }));
  await testApp.drain();
};
const retainFor = (company: TestCompany, retention_days: number) =>
  testApp.call({ method: 'PUT', path: '/api/v1/company', token: company.tokens.owner, body: { settings: { retention_days } } });
const messagesOf = async ({ id }: TestCompany): Promise<string[]> =>
  (await testApp.dump({ kind: 'message', companyId: id })).map(({ contactId, id: message }) => `${String(contactId)}:${String(message)}`);
const people = Array.from({ length: 5 }, (_, nth) => `4915120100${String(nth).padStart(3, '0')}`);

test('rows by company and month, without text, phone or name; what is newer stays out', async () => {
  const [company, other] = [await newCompany(), await newCompany()];
  for (const from of people.slice(0, 3)) await write(company, from, 'my secret is safe');
  await write(other, people[0] ?? '', 'another company');
  testApp.clock.advance(40 * dayMs);
  const old = await messagesOf(company);
  await write(company, people[3] ?? '', 'lately');
  expect((await retainFor(company, 30)).status).toBe(200);
  await testApp.drain();

  const objects = await archived(company);
  const rows = objects.flatMap((each) => each.rows);
  expect(rows.map(({ contact_id, message_id }) => `${contact_id}:${message_id}`).toSorted()).toEqual(old.toSorted());
  expect(rows.every(({ direction }) => direction === 'inbound')).toBe(true);
  for (const { key, text } of objects) {
    expect(key).toMatch(/^messages\/company_id=\d+\/month=\d{4}-\d{2}\/[0-9a-f]{32}\.json\.gz$/);
    expect(text).not.toMatch(/secret|lately|4915120100/);
  }
  expect(await archived(other)).toEqual([]);
  expect(await messagesOf(company)).toHaveLength(1);
});

test('a deployment that wants no archive gets none, and the messages go all the same', async () => {
  process.env[archiveSetting] = 'off';
  const company = await newCompany();
  await write(company, people[0] ?? '', 'Hello');
  testApp.clock.advance(40 * dayMs);
  await retainFor(company, 30);
  await testApp.drain();
  delete process.env[archiveSetting];
  expect([await messagesOf(company), await archived(company)]).toEqual([[], []]);
});

test('wherever its worker dies, no message is deleted that is not in the archive, and none is another one twice', async () => {
  const rounds = 16;
  const companies = await Promise.all(Array.from({ length: rounds + 1 }, () => newCompany()));
  for (const company of companies) for (const from of people.slice(0, 3)) await write(company, from, 'Hello');
  testApp.clock.advance(40 * dayMs);
  const crashes = crashInjection();
  using _life = crashes.over(testApp, process.env['AWS_ENDPOINT_URL_S3'] ?? 'none');
  const idsIn = async (company: TestCompany): Promise<Set<string>> =>
    new Set((await archived(company)).flatMap(({ rows }) => rows.map(({ contact_id, message_id }) => `${contact_id}:${message_id}`)));
  /** The first lives, and says how many steps there are. */
  let steps: number | undefined;
  let lost = 0;
  for (const [round, company] of companies.entries()) {
    const old = await messagesOf(company);
    await retainFor(company, 30);
    await crashes.runWithCrash(steps === undefined ? undefined : Math.ceil((steps * round) / rounds), () =>
      testApp.drain({ retry: false }),
    );
    steps ??= crashes.steps();
    const [left, stored] = [new Set(await messagesOf(company)), await idsIn(company)];
    expect(
      old.filter((each) => !left.has(each) && !stored.has(each)),
      `in round ${round}`,
    ).toEqual([]);
    if (left.size > 0) lost++;
    await testApp.drain({ including: 'delayed', until: testApp.clock.now() + 900_000 });
    const end = [[...(await idsIn(company))].toSorted(), await messagesOf(company)];
    expect(end, `at the end of round ${round}`).toEqual([old.toSorted(), []]);
  }
  expect(lost).toBeGreaterThan(rounds / 4);
}, 120_000);
