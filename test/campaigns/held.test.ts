import { afterAll, beforeAll, expect, test } from 'vitest';
import { statusPost, type TestCompany } from '../support/company.ts';
import { type CampaignFixture, type Contact, startFixture } from './fixture.ts';

/** A campaign whose messages the provider accepts and holds back, until it knows how others take the template. */
let fixture: CampaignFixture;
let company: TestCompany;
beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
});
afterAll(() => fixture.stop());

let groups = 0;
const sendHeld = async (count: number, faults: Record<string, unknown> = { hold_templates: true }) => {
  const people = await fixture.people(company, count);
  const group_id = await fixture.group(company, `Held ${++groups}`);
  for (const { id } of people) await add(id, group_id);
  await fixture.faults(faults);
  const id = await fixture.create(company, {
    name: 'Sale',
    template_id: fixture.templateId(company, 'sale'),
    group_id,
    parammatch: { 1: 'name' },
  });
  await fixture.testApp.passTime(60);
  await fixture.faults({});
  await fixture.deliverAll();
  return { id, people, details: () => fixture.details(company, id) };
};

const add = async (id: number, group: number): Promise<void> => {
  const path = `/api/v1/contacts/${id}`;
  const answer = await fixture.testApp.call({ method: 'PATCH', path, token: company.tokens.member, body: { add_groups: [group] } });
  expect(answer.status, answer.raw).toBe(200);
};

const end = async (outcome: 'released' | 'dropped', faults: Record<string, unknown> = {}): Promise<void> => {
  await fixture.faults(faults);
  await fixture.control('POST', 'pacing', { outcome });
  await fixture.deliverAll();
  fixture.testApp.clock.advance(10_000);
  await fixture.deliverAll();
  await fixture.testApp.passTime(60);
};

const sentTo = async (people: readonly Contact[]): Promise<number> => {
  let count = 0;
  for (const { phone } of people) count += (await fixture.ledger(phone)).length;
  return count;
};

/** The counters equal what the rows say. */
const expectCounted = async (id: number): Promise<void> => {
  const { byRows, byStats } = await fixture.counted(company, id);
  expect(byStats).toEqual(byRows);
};

test('what is held back counts as accepted and not as delivered, and the campaign is done: nothing is sent again', async () => {
  const { id, people, details } = await sendHeld(5);
  expect(await details()).toMatchObject({
    status: 'completed',
    held_count: 5,
    statistics: { total: 5, sent: 5, delivered: 0, failed: 0 },
    funnel: { accepted: 5, delivered: 0 },
  });
  const listed = await fixture.api(company, 'GET', `/${id}/messages`);
  expect((listed.body as { data: object[] }).data).toMatchObject(
    people.map(() => ({ status: 2, status_name: 'sent', held: true, sent_at: null, error: null })),
  );
  await fixture.testApp.passTime(6 * 3_600);
  expect(await sentTo(people)).toBe(5);

  // of some the provider says only that they were sent, while their phones are off
  const [first] = people;
  const [accepted] = first ? await fixture.ledger(first.phone) : [];
  const sent = statusPost(company, { id: accepted?.wamid ?? '', status: 'sent', biz_opaque_callback_data: accepted?.reference });
  expect((await fixture.testApp.call(sent)).status).toBe(200);
  await fixture.testApp.passTime(30);
  expect(await details()).toMatchObject({ held_count: 4, statistics: { sent: 5 } });

  await end('released', { duplicate_webhooks: 1, seed: 3 });
  expect(await details()).toMatchObject({ held_count: 0, statistics: { read: 5, failed: 0 }, funnel: { accepted: 5, read: 5 } });
  await expectCounted(id);
  expect(await sentTo(people)).toBe(5);
});

test('what is dropped has failed with the reason, and a retry sends it again when the template is approved', async () => {
  const { id, people, details } = await sendHeld(3);
  await end('dropped');
  expect(await details()).toMatchObject({
    held_count: 0,
    statistics: { sent: 0, failed: 3 },
    failures: [
      { code: 132015, count: 3, title: 'Held back and not sent: the template was paused', fix: expect.stringContaining('send them again') },
    ],
  });
  await expectCounted(id);
  const retried = await fixture.api(company, 'POST', `/${id}/retry`);
  expect(retried.body).toMatchObject({ data: { retried: 3, skipped: 0 } });
  await fixture.testApp.passTime(60);
  await fixture.deliverAll();
  expect(await details()).toMatchObject({ held_count: 0, statistics: { read: 3, failed: 0 } });
  await expectCounted(id);
  expect(await sentTo(people)).toBe(6);
});

test('a part that is held back, and an erased recipient, leave the counters right', async () => {
  const { id, people, details } = await sendHeld(12, { hold_templates: 0.5, seed: 11 });
  const before = await details();
  expect(before.held_count).toBeGreaterThan(0);
  expect(before.held_count).toBeLessThan(12);
  expect(before.statistics.sent).toBe(before.held_count);
  expect(before.statistics.read).toBe(12 - before.held_count);
  await expectCounted(id);
  const listed = await fixture.api(company, 'GET', `/${id}/messages`);
  const held = (listed.body as { data: { contact_id: number; held: boolean }[] }).data.filter((row) => row.held);
  expect(held).toHaveLength(before.held_count);
  const erased = held[0]?.contact_id ?? 0;
  const path = `/api/v1/contacts/${erased}/erase`;
  const answer = await fixture.testApp.call({ method: 'POST', path, token: company.tokens.owner });
  expect(answer.status, answer.raw).toBeLessThan(300);
  await fixture.testApp.passTime(120);
  expect(await details()).toMatchObject({ held_count: before.held_count - 1 });
  await end('released');
  expect(await details()).toMatchObject({ held_count: 0 });
  expect(people).toHaveLength(12);
});
