import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { messageStatuses } from '../../functions/messaging/contract/stored.ts';
import { providerHttp } from '../../shared/provider/http.ts';
import { statusPost } from '../support/company.ts';
import { only, resultOf, startFixture } from './fixture.ts';

/** The provider's pacing: it accepts a message with a template that few have seen, holds it back, and sends it later or drops it. */
const fixture = await startFixture();
const { testApp } = fixture;
const company = await fixture.company();
const hello = { name: 'hello', language: 'en', category: 'UTILITY', status: 'APPROVED', components: [{ type: 'BODY', text: 'Hello!' }] };
await fixture.templates(company, [hello]);
afterAll(() => fixture.stop());
afterEach(() => void vi.restoreAllMocks());

let phones = 0;
const newPhone = (): string => `49157${String(++phones).padStart(8, '0')}`;
const post = (phone: string) => {
  const body = { phone, template_name: 'hello' };
  return testApp.call({ method: 'POST', path: '/api/v1/messages/template', token: company.tokens.member, body });
};

const rowOf = async (id: number) => (await fixture.messages(company.id)).find((each) => each.id === id);

const sendHeld = async () => {
  const phone = newPhone();
  await fixture.faults({ hold_templates: true });
  const answer = await post(phone);
  await fixture.faults({});
  await testApp.drain();
  const result = resultOf(answer);
  const show = async () => {
    const { message_id: id, contact_id } = result;
    const { member: token } = company.tokens;
    const shown = await testApp.call({ method: 'GET', path: `/api/v1/messages/${id}`, query: { contact_id: String(contact_id) }, token });
    return (shown.body as { data: Record<string, unknown> }).data;
  };
  const sent = only(await fixture.ledger(phone));
  return { phone, answer, result, show, row: () => rowOf(result.message_id), sent };
};

/** What the provider says of one message, by our reference. */
const report = async (
  { sent }: Awaited<ReturnType<typeof sendHeld>>,
  status: string,
  more: Record<string, unknown> = {},
): Promise<void> => {
  const update = statusPost(company, { id: sent.wamid, status, biz_opaque_callback_data: sent.reference, ...more });
  expect((await testApp.call(update)).status).toBe(200);
  await testApp.drain();
};
const dropped = { errors: [{ code: 132015, title: 'Template is paused' }] };

const end = async (outcome: 'released' | 'dropped', faults: Record<string, unknown> = {}): Promise<void> => {
  await fixture.faults(faults);
  await fixture.control('POST', 'pacing', { template: 'hello', outcome });
  await fixture.deliverAll();
  testApp.clock.advance(2_000);
  await fixture.deliverAll();
};

/** The statuses of `message.status`, with whether it was held. */
const eventsOf = (id: number): unknown[] =>
  testApp.events.flatMap(({ name, detail }) => {
    const data = detail['data'] as { message_id?: number; status?: number; held?: boolean };
    return name === 'message.status' && data.message_id === id ? [[data.status, data.held]] : [];
  });

describe('a message that the provider holds back', () => {
  test('is accepted and said to be held, with a time neither sent nor failed, and is not sent again however long it takes', async () => {
    const { answer, result, phone, row, show } = await sendHeld();
    expect([answer.status, result.status, result.ambiguous]).toEqual([200, messageStatuses.sent, false]);
    expect(answer.body).toMatchObject({ data: { held: true, warnings: [expect.stringContaining('holds the message back')] } });
    await testApp.passTime(20 * 3_600);
    await fixture.deliverAll();
    expect(await fixture.ledger(phone)).toHaveLength(1);
    expect(await row()).toMatchObject({ status: messageStatuses.sent, heldAt: expect.any(Number) });
    const shown = await show();
    expect(shown).toMatchObject({ status: 2, held: true, sent_at: null, failed_at: null, error: null });
    expect((shown['timeline'] as { step: string }[]).map(({ step }) => step)).toEqual(['accepted', 'claimed', 'held']);
    expect(eventsOf(result.message_id)).toEqual([[2, true]]);
  });

  test('and then releases is sent, delivered and read, each published once', async () => {
    const held = await sendHeld();
    testApp.clock.advance(6 * 3_600_000);
    await end('released');
    const row = await held.row();
    expect(row).toMatchObject({ status: messageStatuses.read });
    expect(row?.sentAt).toBeGreaterThan((row?.heldAt ?? 0) + 5 * 3_600_000);
    expect(await held.show()).toMatchObject({ status: 4, held: false, sent_at: expect.any(String), error: null });
    const published = eventsOf(held.result.message_id);
    expect(published[0]).toEqual([2, true]);
    expect(published.at(-1)).toEqual([4, false]);
    expect(new Set(published.map((each) => JSON.stringify(each))).size).toBe(published.length);
  });

  test('and then drops has failed, with words that say it was never on its way', async () => {
    const held = await sendHeld();
    await end('dropped');
    expect(await held.show()).toMatchObject({
      status: 5,
      held: false,
      sent_at: null,
      delivered_at: null,
      error: { code: 132015, title: 'Held back and not sent: the template was paused' },
    });
    expect(eventsOf(held.result.message_id)).toEqual([
      [2, true],
      [5, false],
    ]);
    expect(await fixture.ledger(held.phone)).toHaveLength(1);
  });

  test.each<['released' | 'dropped', number]>([
    ['released', messageStatuses.read],
    ['dropped', messageStatuses.failed],
  ])('and has %s is the same when each status comes twice and out of order', async (outcome, status) => {
    const held = await sendHeld();
    await end(outcome, { duplicate_webhooks: 1, shuffle_webhooks: 1, seed: 7 });
    const row = await held.row();
    expect(row).toMatchObject({ status });
    await end(outcome, {});
    expect(await held.row()).toEqual(row);
  });
});

describe('of a message that was held back', () => {
  test('a late `sent` adds its time to what is delivered already', async () => {
    const held = await sendHeld();
    await report(held, 'delivered');
    expect(await held.show()).toMatchObject({ status: 3, held: false, sent_at: null });
    await report(held, 'sent');
    expect(await held.show()).toMatchObject({ status: 3, held: false, sent_at: expect.any(String) });
  });

  test('a failure after the delivery is a note, and one after `sent` is a failure like any other', async () => {
    const delivered = await sendHeld();
    await report(delivered, 'delivered');
    await report(delivered, 'failed', dropped);
    expect(await delivered.show()).toMatchObject({ status: 3, error: null, note: { code: 132015 } });
    const sent = await sendHeld();
    await report(sent, 'sent');
    await report(sent, 'failed', dropped);
    expect(await sent.show()).toMatchObject({ status: 5, error: { code: 132015, title: 'Template paused' } });
  });

  test('whose answer was lost the fate is unknown for two minutes, and its release lifts the failure', async () => {
    const phone = newPhone();
    const { send } = providerHttp;
    vi.spyOn(providerHttp, 'send').mockImplementation((address, call) => send(address, { ...call, timeoutMs: 300 }));
    await fixture.faults({ hold_templates: true, timeout_after_accept: 1 });
    const answer = await post(phone);
    await fixture.faults({});
    expect(answer.status).toBe(202);
    const { message_id: id } = resultOf(answer);
    await testApp.passTime(180);
    expect(await rowOf(id)).toMatchObject({ status: messageStatuses.failed, ambiguous: true });
    expect(await fixture.ledger(phone)).toHaveLength(1);
    await end('released');
    expect(await rowOf(id)).toMatchObject({ status: messageStatuses.read });
    expect((await rowOf(id))?.ambiguous).toBeUndefined();
  });
});
