import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { eraseContact } from '../../functions/erasures/service/erasures.ts';
import { inboundText, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { type CampaignFixture, refusal, startFixture } from './fixture.ts';

let fixture: CampaignFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const sale = (of: TestCompany) => ({ template_id: fixture.templateId(of, 'sale'), name: 'Sale', parammatch: { 1: 'name' } });
const sent = z.object({ data: z.object({ message_id: z.int(), contact_id: z.int() }) });
const replies = z.object({
  data: z.array(z.looseObject({ contact_id: z.int(), text: z.string().nullable(), opted_out: z.boolean() })),
  meta: z.object({ next_cursor: z.string().nullable() }),
});
const compared = z.object({
  data: z.object({
    campaigns: z.array(z.looseObject({ id: z.int(), rates: z.record(z.string(), z.number()) })),
    is_partial: z.boolean(),
  }),
});

describe('a test message', () => {
  const contents = (of: TestCompany) => ({ template_id: fixture.templateId(of, 'sale'), parammatch: { 1: 'name' } });
  const send = (of: TestCompany, body: Record<string, unknown>, key?: string): Promise<Answer> =>
    fixture.api(of, 'POST', '/test', { ...contents(of), ...body }, key);

  test('is what the campaign would send to this contact, sent once however often it is repeated, and counts in no campaign', async () => {
    const own = await fixture.campaigner();
    const [tester] = await fixture.people(own, 1);
    const answers = [await send(own, { contact_id: tester?.id }, 'one'), await send(own, { contact_id: tester?.id }, 'one')];
    const ids = answers.map(({ body }) => sent.parse(body).data);
    expect(ids[0]).toEqual(ids[1]);
    await fixture.testApp.passTime(5);
    const ledger = await fixture.ledger(tester?.phone);
    expect(ledger).toHaveLength(1);
    expect(JSON.stringify(ledger[0]?.payload)).toContain(`Person ${tester?.phone.slice(-5)}`);
    expect((await fixture.api(own, 'GET', '')).body).toMatchObject({ data: [], meta: { total: 0 } });
    const id = await fixture.create(own, sale(own));
    await fixture.testApp.passTime(60);
    expect(await fixture.details(own, id)).toMatchObject({ statistics: { total: 1 }, funnel: { accepted: 1 } });
  });

  test('goes to a phone by its country code', async () => {
    const own = await fixture.campaigner();
    const contact = await newContact(own, '+4915699900001');
    expect(sent.parse((await send(own, { phone: '+49 156 999 00001', paramvalues: { 1: 'Ada' } })).body).data.contact_id).toBe(contact);
    expect(refusal(await send(own, { phone: '0156' }))).toEqual([422, 'validation_failed', 'phone']);
    await fixture.testApp.passTime(5);
    expect(await fixture.ledger('4915699900001')).toHaveLength(1);
  });

  test('is refused for who opted out, for values that are missing, and for both or neither of phone and contact, and then nothing leaves', async () => {
    const own = await fixture.campaigner();
    const [tester] = await fixture.people(own, 1);
    const to = { contact_id: tester?.id };
    expect(refusal(await send(own, {}))).toEqual([422, 'validation_failed', 'phone']);
    expect(refusal(await send(own, { ...to, phone: '+4915600000001' }))).toEqual([422, 'validation_failed', 'contact_id']);
    expect(refusal(await send(own, { contact_id: 9_999 }))).toEqual([422, 'validation_failed', 'contact_id']);
    expect(refusal(await send(own, { ...to, parammatch: {} }))).toEqual([422, 'validation_failed', 'paramvalues']);
    expect(refusal(await send(own, { ...to, parammatch: { 1: 'city' } }))).toEqual([422, 'validation_failed', 'paramvalues']);
    expect(refusal(await send(own, { ...to, template_id: 9_999 }))).toEqual([422, 'validation_failed', 'template_id']);
    const at = fixture.testApp.clock.now();
    await setConsent(own.id, tester?.id ?? 0, { subscribed: false, source: 'keyword', at, evidence: 'stop' });
    await fixture.testApp.drain();
    expect(refusal(await send(own, to)).slice(0, 2)).toEqual([422, 'recipient_opted_out']);
    await fixture.testApp.passTime(5);
    expect(await fixture.ledger(tester?.phone)).toEqual([]);
  });
});

describe('a retry of chosen failures', () => {
  test('sends again those of a reason, or of recipients, and leaves the others failed', async () => {
    const own = await fixture.campaigner();
    const people = await fixture.people(own, 4);
    const phones = people.map(({ phone }) => phone);
    const errors = { [phones[0] ?? '']: 131000, [phones[1] ?? '']: 131000, [phones[2] ?? '']: 131016 };
    const delivered = async (): Promise<void> => {
      await fixture.testApp.passTime(3);
      await fixture.deliverAll();
    };
    await fixture.faults({ error_for: errors });
    const id = await fixture.create(own, sale(own));
    await delivered();
    await fixture.faults({});
    const retry = async (body: Record<string, unknown>) => (await fixture.api(own, 'POST', `/${id}/retry`, body)).body;
    expect((await fixture.details(own, id)).statistics).toMatchObject({ failed: 3 });
    expect(await retry({ codes: [131_001] })).toMatchObject({ data: { retried: 0, skipped: 0 } });
    expect(await retry({ codes: [131_016], contact_ids: [people[0]?.id] })).toMatchObject({ data: { retried: 0 } });
    expect(await retry({ codes: [131_000], contact_ids: [people[0]?.id] })).toMatchObject({ data: { retried: 1, skipped: 0 } });
    await delivered();
    expect((await fixture.details(own, id)).failures.map(({ code }) => Number(code)).toSorted((one, other) => one - other)).toEqual([
      131_000, 131_016,
    ]);
    expect(await retry({ codes: ['131016'] })).toMatchObject({ data: { retried: 1 } });
    await delivered();
    expect((await fixture.details(own, id)).failures.map(({ code }) => code)).toEqual([131_000]);
    expect(await retry({})).toMatchObject({ data: { retried: 1 } });
    await delivered();
    expect(await fixture.details(own, id)).toMatchObject({ status: 'completed', statistics: { failed: 0, scheduled: 0, processing: 0 } });
    expect(await fixture.ledger(phones[3])).toHaveLength(1);
    expect(refusal(await fixture.api(own, 'POST', `/${id}/retry`, { codes: [] }))).toEqual([422, 'validation_failed', 'codes']);
  });
});

describe('the replies to a campaign', () => {
  test('are the first of each contact, newest first, with who opted out, in pages, without those of erased contacts', async () => {
    const own = await fixture.campaigner();
    const people = await fixture.people(own, 4);
    const id = await fixture.create(own, sale(own));
    await fixture.testApp.passTime(60);
    const say = async (nth: number, text: string): Promise<void> => {
      await fixture.testApp.call(inboundText(own, { from: people[nth]?.phone ?? '', text }));
      await fixture.testApp.passTime(2);
    };
    await say(0, 'Thanks!');
    await say(0, 'Still there?');
    await say(1, 'How much?');
    await say(2, 'STOP');
    const page = async (query: string) => replies.parse((await fixture.api(own, 'GET', `/${id}/replies${query}`)).body);
    expect((await page('')).data.map(({ contact_id, text, opted_out }) => [contact_id, text, opted_out])).toEqual([
      [people[2]?.id, 'STOP', true],
      [people[1]?.id, 'How much?', false],
      [people[0]?.id, 'Thanks!', false],
    ]);
    await say(0, 'stop');
    expect((await page('')).data.map(({ text, opted_out }) => [text, opted_out]).at(-1)).toEqual(['Thanks!', true]);
    const first = await page('?limit=2');
    const rest = await page(`?limit=2&cursor=${first.meta.next_cursor}`);
    expect([first.data.length, rest.data.map(({ text }) => text), rest.meta.next_cursor]).toEqual([2, ['Thanks!'], null]);
    unwrap(await eraseContact(own.id, people[1]?.id ?? 0, { cause: 'request' }));
    await fixture.testApp.drain();
    expect((await page('')).data.map(({ contact_id }) => contact_id)).toEqual([people[2]?.id, people[0]?.id]);
    const other = await fixture.campaigner();
    expect((await fixture.api(other, 'GET', `/${id}/replies`)).status).toBe(404);
    expect((await fixture.details(own, id)).funnel).toMatchObject({ replied: 3, opted_out: 2 });
  });
});

describe('a comparison of campaigns', () => {
  test('has those that have begun, of one template where it is named, the newest or the highest rate first', async () => {
    const own = await fixture.campaigner();
    const people = await fixture.people(own, 2);
    await fixture.faults({ error_for: { [people[0]?.phone ?? '']: 132012 } });
    const failing = await fixture.create(own, sale(own));
    await fixture.testApp.passTime(60);
    await fixture.faults({});
    const good = await fixture.create(own, { ...sale(own), name: 'Good' });
    await fixture.testApp.passTime(60);
    await fixture.create(own, { ...sale(own), send_time: new Date(fixture.testApp.clock.now() + 3_600_000).toISOString() });
    const plain = await fixture.create(own, { name: 'Plain', template_id: fixture.templateId(own, 'plain') });
    await fixture.testApp.passTime(60);
    await fixture.testApp.call(inboundText(own, { from: people[1]?.phone ?? '', text: 'Yes' }));
    await fixture.testApp.drain();
    const compare = async (query: string) => compared.parse((await fixture.api(own, 'GET', `/comparison${query}`)).body).data;
    const ids = async (query: string) => (await compare(query)).campaigns.map(({ id }) => id);
    expect(await ids('')).toEqual([plain, good, failing]);
    expect((await ids('?sort=failure'))[0]).toBe(failing);
    expect((await ids('?sort=reply'))[0]).toBe(plain);
    expect(await ids(`?template_id=${fixture.templateId(own, 'plain')}`)).toEqual([plain]);
    expect(await compare('?limit=2')).toMatchObject({ campaigns: [{ id: plain }, { id: good }], is_partial: true });
    expect((await compare('?sort=failure')).campaigns[0]?.rates).toMatchObject({ failure: 0.5 });
    expect(await ids('?sort=best').catch(() => 'refused')).toBe('refused');
    expect(await (async () => compared.parse((await fixture.api(await fixture.campaigner(), 'GET', '/comparison')).body).data)()).toEqual({
      campaigns: [],
      is_partial: false,
    });
  });
});

async function newContact(of: TestCompany, phone: string): Promise<number> {
  const answer = await fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/contacts',
    token: of.tokens.member,
    body: { phone, subscribed: true },
  });
  return z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
}
