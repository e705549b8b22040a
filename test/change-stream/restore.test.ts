import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { applyAll, openAll } from '../../bin/admin/restore.ts';
import { openWithoutJournal } from '../../functions/change-stream/service/apply-journal.ts';
import { recountCompany } from '../../functions/change-stream/service/recount.ts';
import { app } from '../../functions/app.ts';
import { issueToken, revokeCompanyToken } from '../../functions/account/service/tokens.ts';
import { createUser, deactivateUser } from '../../functions/account/service/users.ts';
import { restoredTableVariable } from '../../shared/contract/resource.ts';
import { tableName } from '../../shared/table/client.ts';
import { type CampaignFixture, type Contact, startFixture } from '../campaigns/fixture.ts';
import { inboundText, type TestCompany, unwrap } from '../support/company.ts';
import { runSize } from '../support/run-size.ts';
import { copyTable, type TableCopy } from '../support/table-copy.ts';

/**
 * A table is restored to a second after which messages were sent, recipients opted out or were erased, and credentials were revoked: an older copy of
 * the emulator's table is put back. The provider's ledger, which no restore touches, says what was sent.
 */
let fixture: CampaignFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());
afterEach(() => {
  delete process.env[restoredTableVariable];
});

const counts = { sends: runSize(60, 1_000), stops: runSize(6, 50), erasures: runSize(4, 20), revocations: runSize(4, 10) };
const minute = 60;

interface Drill {
  company: TestCompany;
  copy: TableCopy;
  backupAt: number;
  people: Contact[];
  stopped: Contact[];
  erased: Contact[];
  revoked: string[];
  campaignId: number;
  /** By phone, how many messages the provider accepted before the restore. */
  sentTo: Map<string, number>;
  keyed: { key: string; phone: string };
}

const sentByPhone = async (people: readonly Contact[]): Promise<Map<string, number>> => {
  const phones = new Set(people.map(({ phone }) => phone));
  const sent = (await fixture.ledger()).filter(({ to }) => phones.has(to));
  return new Map([...Map.groupBy(sent, ({ to }) => to)].map(([phone, each]) => [phone, each.length]));
};
const api = (company: TestCompany, method: string, path: string, body?: unknown) =>
  fixture.testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });
const sendKeyed = ({ tokens }: TestCompany, { key, phone }: { key: string; phone: string }) =>
  fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/messages/template',
    token: tokens.owner,
    headers: { 'idempotency-key': key },
    body: { phone: `+${phone}`, template_name: 'plain', template_language: 'en' },
  });
const newTokens = async (company: TestCompany, count: number, userId: number): Promise<{ id: number; secret: string }[]> => {
  const made: { id: number; secret: string }[] = [];
  // one after the other: each changes the same user, and calls side by side may refuse one another
  for (let nth = 0; nth < count; nth++) {
    const { token, secret } = unwrap(await issueToken(company.id, { user_id: userId, name: `token ${nth}` }));
    made.push({ id: token.id, secret });
  }
  return made;
};

/** A campaign and a message that wait for their time when the backup is taken; what follows is what the restored table does not know. */
const lifeAcrossABackup = async (): Promise<Drill> => {
  const { testApp } = fixture;
  const company = await fixture.campaigner();
  const people = await fixture.people(company, counts.sends);
  const [scheduledTo, keyedTo] = await fixture.people(company, 2);
  const leaver = unwrap(await createUser(company.id, { name: 'Lee Leaver', email: `lee.${company.id}@example.com`, role: 'admin' }));
  const tokens = await newTokens(company, counts.revocations - 1, company.users.owner);
  const [ofLeaver] = await newTokens(company, 1, leaver.id);
  const soon = new Date(testApp.clock.now() + 5 * minute * 1_000).toISOString();
  const campaign = { template_id: fixture.templateId(company, 'sale'), name: 'Sale', parammatch: { 1: 'name' } };
  const campaignId = await fixture.create(company, { ...campaign, send_time: soon, timezone: 'UTC' });
  const scheduled = { phone: `+${scheduledTo?.phone}`, template_name: 'plain', template_language: 'en', scheduled_at: soon };
  expect((await api(company, 'POST', '/messages/template', scheduled)).status).toBeLessThan(300);
  await testApp.drain();
  const copy = await copyTable();
  const backupAt = testApp.clock.now();

  await testApp.passTime(10 * minute);
  const keyed = { key: `restore-${company.id}`, phone: keyedTo?.phone ?? '' };
  expect((await sendKeyed(company, keyed)).status).toBeLessThan(300);
  const stopped = people.slice(0, counts.stops);
  for (const { phone } of stopped) expect((await testApp.call(inboundText(company, { from: phone, text: 'STOP' }))).status).toBe(200);
  await testApp.drain();
  const erased = people.slice(counts.stops, counts.stops + counts.erasures);
  for (const { id } of erased) expect((await api(company, 'POST', `/contacts/${id}/erase`)).status).toBe(202);
  await testApp.drain();
  for (const { id } of tokens) unwrap(await revokeCompanyToken(company.id, id));
  unwrap(await deactivateUser(company.id, leaver.id));
  await testApp.passTime(minute);
  await fixture.deliverAll();
  const all = [...people, ...[scheduledTo, keyedTo].flatMap((each) => (each ? [each] : []))];
  const revoked = [...tokens.map(({ secret }) => secret), ofLeaver?.secret ?? ''];
  return { company, copy, backupAt, people: all, stopped, erased, revoked, campaignId, sentTo: await sentByPhone(all), keyed };
};

const restored = async ({ copy }: Drill): Promise<void> => {
  process.env[restoredTableVariable] = `${tableName()}/${crypto.randomUUID()}`;
  await fixture.testApp.restoreTable(copy);
};
const whoAmI = async (secret: string): Promise<number> =>
  (await fixture.testApp.call({ method: 'GET', path: '/api/v1/me', token: secret })).status;
const sentAgain = async ({ people, sentTo }: Drill): Promise<number> =>
  [...(await sentByPhone(people))].filter(([phone, count]) => count > (sentTo.get(phone) ?? 0)).length;
const isSubscribed = async ({ company }: Drill, { id }: Contact): Promise<boolean> => {
  const answer = await api(company, 'GET', `/contacts/${id}`);
  return z.object({ data: z.object({ subscribed: z.boolean() }) }).parse(answer.body).data.subscribed;
};
const lost = async (drill: Drill) => {
  const table = JSON.stringify(await fixture.testApp.dump());
  return {
    sentAgain: await sentAgain(drill),
    stops: (await Promise.all(drill.stopped.map((each) => isSubscribed(drill, each)))).filter(Boolean).length,
    erasures: drill.erased.filter(({ phone }) => table.includes(phone)).length,
    revocations: (await Promise.all(drill.revoked.map(whoAmI))).filter((status) => status !== 401).length,
  };
};

describe('a restored table', () => {
  test('is closed, then readable, then open: nothing is sent again, and no stop, erasure or revocation is lost', async () => {
    const { testApp } = fixture;
    const drill = await lifeAcrossABackup();
    // the campaign to all of them and the two others, a message to each of those, and the answers to STOP
    expect([...drill.sentTo.values()].reduce((sum, count) => sum + count, 0)).toBe(counts.sends + 4 + counts.stops);
    await restored(drill);

    const { company } = drill;
    const refused = await api(company, 'GET', '/me');
    expect([refused.status, refused.raw]).toEqual([503, expect.stringContaining('restored table and is closed')]);
    await testApp.passTime(10 * minute);
    expect(await sentAgain(drill)).toBe(0);
    await expect(openAll()).rejects.toThrow('The journal is not applied yet');

    const request = { source: tableName(), sinceMs: drill.backupAt, untilMs: testApp.clock.now() };
    const applied = await applyAll(request);
    expect(applied).toMatchObject({ state: 'readable', restored: { contact: counts.stops, erasure: counts.erasures, user: 1 } });
    testApp.clock.advance(10_000);
    expect((await api(company, 'GET', '/me')).status).toBe(200);
    expect((await sendKeyed(company, drill.keyed)).status).toBe(503);
    await expect(openAll()).rejects.toThrow(`${counts.erasures} erasures are not done yet`);
    await testApp.passTime(20 * minute);
    expect(await sentAgain(drill)).toBe(0);
    await openAll();

    testApp.clock.advance(10_000);
    const repeated = await sendKeyed(company, drill.keyed);
    expect([repeated.status, await sentAgain(drill)]).toEqual([expect.any(Number), 0]);
    await testApp.passTime(60 * minute);
    await fixture.deliverAll();
    expect(await lost(drill)).toEqual({ sentAgain: 0, stops: 0, erasures: 0, revocations: 0 });
    const differences = await recountCompany(company.id, {
      reactions: app.flatMap((context) => context.reactions ?? []),
      recounts: app.flatMap((context) => context.recounts ?? []),
      shouldWrite: false,
      untilBrought: () => Promise.resolve(),
    });
    expect(differences).toEqual([]);
    expect(await fixture.details(company, drill.campaignId)).toMatchObject({ status: 'completed' });
    expect(testApp.logs.filter((line) => line['message'] === 'A stored change could not be carried out')).toEqual([]);
  }, 600_000);

  test('that is a replica in another region is closed too; opened without a journal it has forgotten nothing that had reached it, and sends what is due once', async () => {
    const { testApp } = fixture;
    const drill = await lifeAcrossABackup();
    const [waiting] = await fixture.people(drill.company, 1);
    const later = new Date(testApp.clock.now() + 5 * minute * 1_000).toISOString();
    const scheduled = { phone: `+${waiting?.phone}`, template_name: 'plain', template_language: 'en', scheduled_at: later };
    expect((await api(drill.company, 'POST', '/messages/template', scheduled)).status).toBeLessThan(300);
    await testApp.drain();
    const sentToWaiting = async (): Promise<number> => (await sentByPhone(waiting ? [waiting] : [])).get(waiting?.phone ?? '') ?? 0;
    // what had reached the replica when the region was lost, with a stream that is read from now on
    await restored({ ...drill, copy: await copyTable() });

    expect((await api(drill.company, 'GET', '/me')).status).toBe(503);
    await testApp.passTime(10 * minute);
    expect([await sentAgain(drill), await sentToWaiting()]).toEqual([0, 0]);
    await openWithoutJournal(testApp.clock.now());
    testApp.clock.advance(10_000);
    await testApp.passTime(30 * minute);
    await fixture.deliverAll();
    expect(await sentToWaiting()).toBe(1);
    expect(await lost(drill)).toEqual({ sentAgain: 0, stops: 0, erasures: 0, revocations: 0 });
    expect(await fixture.details(drill.company, drill.campaignId)).toMatchObject({ status: 'completed' });
  }, 600_000);

  test('that is opened without its journal has lost all of it, which is what the drill is to see', async () => {
    const drill = await lifeAcrossABackup();
    await restored(drill);
    await openWithoutJournal(fixture.testApp.clock.now());
    await fixture.testApp.passTime(30 * minute);
    await fixture.deliverAll();
    expect(await lost(drill)).toEqual({
      sentAgain: counts.sends + 2,
      stops: counts.stops,
      erasures: counts.erasures,
      revocations: counts.revocations,
    });
  }, 600_000);
});
