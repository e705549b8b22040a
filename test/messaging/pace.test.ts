import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { sendsQueue } from '../../functions/messaging/contract/queue.ts';
import { reserveSlot, reserveSlots, takeTurn } from '../../functions/messaging/service/send-slots.ts';
import type { TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { send as enqueue } from '../../shared/queue/send.ts';
import { only, problemOf, resultOf, type Fixture, startFixture } from './fixture.ts';
import { runSize } from '../support/run-size.ts';

let fixture: Fixture;
let company: TestCompany;
let phones = 0;
const newPhone = (): string => `49155${String(++phones).padStart(8, '0')}`;

beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.company();
  await fixture.faults({ hold_statuses: true });
});
afterAll(() => fixture.stop());

const send = (fields: Record<string, unknown>): Promise<Answer> =>
  fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/messages/text',
    token: company.tokens.member,
    body: { phone: newPhone(), message: 'Hi', ...fields },
  });
const cancel = (id: number, token = company.tokens.member): Promise<Answer> =>
  fixture.testApp.call({ method: 'DELETE', path: `/api/v1/messages/${id}`, token });
const reschedule = (id: number, scheduled_at: string, token = company.tokens.member): Promise<Answer> =>
  fixture.testApp.call({ method: 'PUT', path: `/api/v1/messages/${id}`, token, body: { scheduled_at } });
const listed = z.object({
  data: z.array(z.looseObject({ id: z.int(), contact_id: z.int() })),
  meta: z.object({ next_cursor: z.string().nullable() }),
});
const inSeconds = (seconds: number): string => new Date(fixture.testApp.clock.now() + seconds * 1_000).toISOString();

describe('slots', () => {
  const number = (id: number, ratePerSecond = 80) => ({ companyId: company.id, id, ratePerSecond });
  /** The most slots in any second that begins at a slot. */
  const busiest = (slots: number[]): number =>
    Math.max(...slots.map((from) => slots.filter((at) => at >= from && at < from + 1_000).length));

  test('of many workers at once are all apart, and never more than the rate in any second', async () => {
    const reserved = await Promise.all(Array.from({ length: 12 }, () => reserveSlots(number(901), 'code', 25)));
    const slots = reserved.flat().flatMap((slot) => (slot.free ? [slot.atMs] : []));
    expect(slots).toHaveLength(300);
    expect(busiest(slots)).toBeLessThanOrEqual(80);
    // nothing is given away: 300 at 80 a second are 3.75 s
    expect(Math.max(...slots) - Math.min(...slots)).toBeLessThan(4_000);
  });

  test('asked for in one breath are one write', async () => {
    const used = await fixture.testApp.meter(async () => {
      const slots = await Promise.all(Array.from({ length: 20 }, () => reserveSlot(number(902), 'direct')));
      expect(slots.every(({ free }) => free)).toBe(true);
    });
    expect(used.wru).toBe(1);
  });

  test('a campaign that takes all it gets delays a direct send by little, and a code not at all more', async () => {
    const paced = number(903);
    // time stands still: in a running one a slot becomes free each 12 ms
    fixture.testApp.clock.freeze();
    onTestFinished(fixture.testApp.clock.resume);
    for (let taken = true; taken; ) taken = (await reserveSlots(paced, 'campaign', 10)).every(({ free }) => free);
    const at = fixture.testApp.clock.now();
    const direct = await reserveSlot(paced, 'direct');
    expect(direct.free && direct.atMs - at).toBeLessThan(450);
    for (let taken = true; taken; ) taken = (await reserveSlot(paced, 'direct')).free;
    expect((await reserveSlot(paced, 'direct')).free).toBe(false);
    expect((await reserveSlot(paced, 'code')).free).toBe(true);
  });

  test('a burst of one moment is looked at twice a message, not again every few seconds, and keeps to the rate', async () => {
    const paced = number(904);
    const { clock } = fixture.testApp;
    clock.freeze();
    onTestFinished(clock.resume);
    const began = clock.now();
    const burst = 600;
    let looks = 0;
    const slots: number[] = [];
    const waiting: { atMs: number; hadTurn: boolean }[] = Array.from({ length: burst }, () => ({ atMs: began, hadTurn: false }));
    const look = async ({ hadTurn }: { hadTurn: boolean }): Promise<void> => {
      looks++;
      const slot = await reserveSlot(paced, 'direct');
      if (slot.free) slots.push(slot.atMs);
      else
        waiting.push(hadTurn ? { atMs: slot.retryAtMs, hadTurn: false } : { atMs: await takeTurn(paced, slot.retryAtMs), hadTurn: true });
    };
    for (let second = 0; waiting.length > 0; second++) {
      expect(second).toBeLessThan(20);
      const due = waiting.filter(({ atMs }) => atMs <= clock.now());
      for (const each of due) waiting.splice(waiting.indexOf(each), 1);
      for (let from = 0; from < due.length; from += 10) await Promise.all(due.slice(from, from + 10).map(look));
      clock.advance(1_000);
    }
    expect(slots).toHaveLength(burst);
    expect(busiest(slots)).toBeLessThanOrEqual(80);
    expect(looks).toBeLessThanOrEqual(2 * burst);
    // 600 at nine tenths of 80 a second, behind the first second
    expect(Math.max(...slots) - began).toBeLessThan(12_000);
    // another message still finds a slot at once: the line leaves it one
    expect((await reserveSlot(paced, 'direct')).free).toBe(true);
  });

  test('a message whose turn is later than a queue can hold it back keeps its turn', async () => {
    const { testApp } = fixture;
    const phone = newPhone();
    const { message_id } = resultOf(await send({ phone, scheduled_at: inSeconds(30) }));
    await testApp.drain();
    const stored = (await fixture.messages(company.id)).find(({ id }) => id === message_id);
    const dueAt = Number(stored?.['dueAt']);
    const turnAt = dueAt + 5_000_000;
    const inLine = { company_id: company.id, contact_id: Number(stored?.['contactId']), message_id, due_at_ms: dueAt, turn_at_ms: turnAt };
    await enqueue(sendsQueue, [{ companyId: company.id, message: inLine }]);
    const used = await testApp.meter(() => testApp.drain());
    expect(used.rru).toBe(0);
    const again = testApp.queued(sendsQueue).filter((each) => (each as { turn_at_ms?: number }).turn_at_ms !== undefined);
    expect(again).toEqual([inLine]);
  });

  test('a direct send that finds none near waits in the queue and goes by itself', async () => {
    const [paced] = (await fixture.items(company.id, 'number')).map((item) => Number(item['id']));
    for (let taken = true; taken; ) taken = (await reserveSlots(number(paced ?? 1), 'code', 40)).every(({ free }) => free);
    const phone = newPhone();
    const answer = await send({ phone });
    expect([answer.status, resultOf(answer).status]).toEqual([200, 0]);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(60);
    expect(await fixture.ledger(phone)).toHaveLength(1);
  });
});

describe('a recipient whom the provider rate-limits', () => {
  test('gets nothing more, from any message, until the time is over', async () => {
    const phone = newPhone();
    await fixture.faults({ hold_statuses: true, error_for: { [phone]: 131056 } });
    expect(resultOf(await send({ phone, message: 'one' })).status).toBe(0);
    await fixture.faults({ hold_statuses: true });
    const second = resultOf(await send({ phone, message: 'two' }));
    expect([second.status, await fixture.ledger(phone)]).toEqual([0, []]);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(120);
    expect((await fixture.ledger(phone)).map(({ payload }) => payload['text'])).toHaveLength(2);
  });
});

describe('messages for later', () => {
  test('wait, go at their time and not before', async () => {
    const phone = newPhone();
    const answer = resultOf(await send({ phone, scheduled_at: inSeconds(900) }));
    expect(answer).toMatchObject({ status: 0, message_wamid: null, scheduled_at: expect.stringMatching(/Z$/) });
    await fixture.testApp.drain();
    await fixture.testApp.passTime(890);
    expect(await fixture.ledger(phone)).toEqual([]);
    await fixture.testApp.passTime(15);
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({ text: { body: 'Hi' } });
  });

  test('a local time is read in the given zone', async () => {
    const day = inSeconds(30 * 86_400).slice(0, 10);
    const { scheduled_at } = resultOf(await send({ scheduled_at: `${day}T09:00`, timezone: 'Asia/Kolkata' }));
    expect(scheduled_at).toBe(`${day}T03:30:00.000000Z`);
  });

  test('are cancelled while they wait, once, and never sent', async () => {
    const phone = newPhone();
    const { message_id } = resultOf(await send({ phone, scheduled_at: inSeconds(600) }));
    await fixture.testApp.drain();
    const stranger = await fixture.company();
    expect((await cancel(message_id, stranger.tokens.owner)).status).toBe(404);
    const done = await cancel(message_id);
    expect([done.status, done.body]).toMatchObject([200, { data: { id: message_id, deleted: true } }]);
    expect((await cancel(message_id)).status).toBe(404);
    await fixture.testApp.passTime(700);
    expect(await fixture.ledger(phone)).toEqual([]);
    const stored = (await fixture.messages(company.id)).find(({ id }) => id === message_id);
    expect(stored).toMatchObject({ status: 5, error: { code: 'cancelled' } });
  });

  test('are listed, the next one first and by pages, while they wait', async () => {
    const other = await fixture.company();
    const scheduled = (seconds: number, contact = newPhone()) =>
      fixture.testApp.call({
        method: 'POST',
        path: '/api/v1/messages/text',
        token: other.tokens.member,
        body: { phone: contact, message: `in ${seconds}`, scheduled_at: inSeconds(seconds) },
      });
    const list = async (query: Record<string, string> = {}) =>
      listed.parse(
        (
          await fixture.testApp.call({
            method: 'GET',
            path: '/api/v1/messages',
            token: other.tokens.owner,
            query: { status: 'scheduled', ...query },
          })
        ).body,
      );
    const ids: number[] = [];
    for (const seconds of [7_200, 90, 3_600, 5_400]) ids.push(resultOf(await scheduled(seconds)).message_id);
    const [late = 0, soon = 0, second = 0, third = 0] = ids;
    const first = await list({ limit: '3' });
    expect(first.data.map(({ id }) => id)).toEqual([soon, second, third]);
    const rest = await list({ limit: '3', cursor: first.meta.next_cursor ?? '' });
    expect([rest.data.map(({ id }) => id), rest.meta.next_cursor]).toEqual([[late], null]);
    expect(first.data[0]).toMatchObject({ status: 0, sent_by: { via: 'api', campaign_id: null }, scheduled_at: expect.any(String) });
    const ofContact = await list({ contact_id: String(rest.data[0]?.contact_id) });
    expect(ofContact.data.map(({ id }) => id)).toEqual([late]);
    expect((await cancel(third, other.tokens.member)).status).toBe(200);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(120);
    expect((await list()).data.map(({ id }) => id)).toEqual([second, late]);
    expect((await fixture.items(other.id, 'scheduled-message')).filter((entry) => entry['list_pk'] !== undefined)).toHaveLength(2);
  });

  test('are rescheduled while they wait: they go at the new time, once, and not at the old one', async () => {
    const [phone, earlier] = [newPhone(), newPhone()];
    const { message_id: id } = resultOf(await send({ phone, scheduled_at: inSeconds(300) }));
    const { message_id: hurried } = resultOf(await send({ phone: earlier, scheduled_at: inSeconds(86_400) }));
    await fixture.testApp.drain();
    expect((await reschedule(id, inSeconds(900))).body).toMatchObject({ data: { id, status: 0, scheduled_at: expect.any(String) } });
    expect((await reschedule(hurried, inSeconds(30))).status).toBe(200);
    expect((await reschedule(id, 'soon')).status).toBe(422);
    const stranger = await fixture.company();
    expect((await reschedule(id, inSeconds(900), stranger.tokens.owner)).status).toBe(404);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(600);
    expect([await fixture.ledger(phone), (await fixture.ledger(earlier)).length]).toEqual([[], 1]);
    await fixture.testApp.passTime(400);
    expect(await fixture.ledger(phone)).toHaveLength(1);
    const late = await reschedule(id, inSeconds(900));
    expect([late.status, problemOf(late).code]).toEqual([409, 'message_not_scheduled']);
  });

  test('a new time and the send at one moment: one of them wins, and the message is sent once', async () => {
    for (let round = 0; round < 6; round++) {
      const phone = newPhone();
      const dueAt = fixture.testApp.clock.now() + 1_000;
      const { message_id, contact_id } = resultOf(await send({ phone, scheduled_at: new Date(dueAt).toISOString() }));
      fixture.testApp.clock.advance(1_500);
      const record = { company_id: company.id, contact_id, message_id, due_at_ms: dueAt };
      const event = {
        Records: [{ messageId: 'm', body: JSON.stringify(record), attributes: {}, messageAttributes: {}, eventSource: 'aws:sqs' }],
      };
      const [answer] = await Promise.all([
        reschedule(message_id, inSeconds(120)),
        fixture.testApp.invokeFunction('messaging-sends', event),
      ]);
      expect(answer.status === 200 ? 0 : 1).toBe((await fixture.ledger(phone)).length);
      await fixture.testApp.drain();
      await fixture.testApp.passTime(180);
      expect(await fixture.ledger(phone)).toHaveLength(1);
    }
  });

  test('cannot be cancelled once they were sent', async () => {
    const { message_id } = resultOf(await send({ scheduled_at: inSeconds(30) }));
    await fixture.testApp.drain();
    await fixture.testApp.passTime(40);
    const late = await cancel(message_id);
    expect([late.status, problemOf(late).code]).toEqual([409, 'message_not_scheduled']);
    expect((await cancel(123)).status).toBe(404);
    const direct = resultOf(await send({}));
    const named = { method: 'DELETE', path: `/api/v1/messages/${direct.message_id}`, token: company.tokens.member };
    const answer = await fixture.testApp.call({ ...named, query: { contact_id: String(direct.contact_id) } });
    expect([answer.status, problemOf(answer).code]).toEqual([409, 'message_not_scheduled']);
  });

  test('a cancel and the send at one moment: one of them wins', async () => {
    for (let round = 0; round < 10; round++) {
      const phone = newPhone();
      const dueAt = fixture.testApp.clock.now() + 1_000;
      const { message_id, contact_id } = resultOf(await send({ phone, scheduled_at: new Date(dueAt).toISOString() }));
      fixture.testApp.clock.advance(1_500);
      const record = { company_id: company.id, contact_id, message_id, due_at_ms: dueAt };
      const event = {
        Records: [{ messageId: 'm', body: JSON.stringify(record), attributes: {}, messageAttributes: {}, eventSource: 'aws:sqs' }],
      };
      const [answer] = await Promise.all([cancel(message_id), fixture.testApp.invokeFunction('messaging-sends', event)]);
      expect(answer.status === 200 ? 0 : 1).toBe((await fixture.ledger(phone)).length);
    }
    await fixture.testApp.drain();
    expect(fixture.testApp.deadLettersOf(sendsQueue)).toEqual([]);
  });

  test('under one Idempotency-Key are one message', async () => {
    const phone = newPhone();
    const body = { phone, message: 'Hi', scheduled_at: inSeconds(300) };
    const call = {
      method: 'POST',
      path: '/api/v1/messages/text',
      token: company.tokens.member,
      body,
      headers: { 'idempotency-key': 'later' },
    };
    const ids = await Promise.all([1, 2].map(async () => fixture.testApp.call(call)));
    const again = resultOf(await fixture.testApp.call(call)).message_id;
    for (const answer of ids.filter(({ status }) => status === 200)) expect(resultOf(answer).message_id).toBe(again);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(320);
    expect(await fixture.ledger(phone)).toHaveLength(1);
  });

  test('none of many is early, and 99 of 100 are at most 2 s late', async () => {
    const count = runSize(40, 400);
    const start = fixture.testApp.clock.now() + 120_000;
    const dueAt = new Map<string, number>();
    for (let index = 0; index < count; index++) {
      const phone = newPhone();
      const at = Math.floor(start + (index * 60_000) / count);
      dueAt.set(phone, at);
      expect((await send({ phone, scheduled_at: new Date(at).toISOString() })).status).toBe(200);
    }
    await fixture.testApp.drain();
    await fixture.testApp.passTime(200);
    const late = (await fixture.messages(company.id))
      .filter(({ phone }) => dueAt.has(phone ?? ''))
      .map(({ phone, claimedAt }) => (claimedAt ?? 0) - (dueAt.get(phone ?? '') ?? 0))
      .toSorted((a, b) => a - b);
    expect(late).toHaveLength(count);
    expect(late[0]).toBeGreaterThanOrEqual(0);
    expect(late[Math.ceil(count * 0.99) - 1]).toBeLessThanOrEqual(2_000);
  });
});
