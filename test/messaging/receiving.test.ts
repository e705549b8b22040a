import { afterAll, describe, expect, test } from 'vitest';
import { providerStatusesQueue, providerUpdatesQueue } from '../../functions/messaging/contract/queue.ts';
import { formatReference } from '../../functions/messaging/contract/reference.ts';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { unwrap, inboundText, newCompany, providerEnvelope, providerPost, statusPost } from '../support/company.ts';
import { send } from '../../shared/queue/send.ts';
import { onFetch } from '../support/fetch-hook.ts';
import { messageId } from '../../shared/runtime/ids.ts';
import { isFullSize } from '../support/run-size.ts';
import { shuffled, seeded } from '../support/random.ts';
import { only, problemOf, resultOf, startFixture } from './fixture.ts';

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
const company = await fixture.company();
let phones = 4_915_200_000_000;
const nextPhone = (): string => String(++phones);

const handshake = (path: string, query: Record<string, string>) => testApp.call({ method: 'GET', path, query });
const received = { status: 'success', message: 'EVENT_RECEIVED' };

describe('the handshake', () => {
  const challenge = (token: string) => ({ 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': token });

  test("the company's verify token gets the raw challenge as text", async () => {
    const answer = await handshake(company.webhookPath, challenge(company.verifyToken));
    expect([answer.status, answer.raw, answer.headers['content-type']]).toEqual([200, '1158201444', 'text/plain']);
  });

  test("the address's own token is a verify token too", async () => {
    expect((await handshake(company.webhookPath, challenge(company.webhookToken))).status).toBe(200);
  });

  test.each([
    ['a wrong verify token', challenge('something else')],
    ['no verify token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }],
    ['another mode', { ...challenge(''), 'hub.mode': 'unsubscribe' }],
  ])('%s is 403', async (_, query) => {
    const answer = await handshake(company.webhookPath, query);
    expect([answer.status, problemOf(answer).code]).toEqual([403, 'handshake_failed']);
  });

  test('an unknown address is 404, by GET and by POST', async () => {
    const path = `/webhook/messaging/receive/${'x'.repeat(43)}`;
    expect((await handshake(path, challenge(company.verifyToken))).status).toBe(404);
    expect((await testApp.call({ ...inboundText(company, { from: '4915112345678', text: 'Hi' }), path })).status).toBe(404);
  });

  test("another receiver's token does not open this one", async () => {
    const { secret } = unwrap(await issueWebhookToken(company.id, { receiver: 'webshop' }));
    const path = `/webhook/messaging/receive/${secret}`;
    expect((await handshake(path, challenge(company.verifyToken))).status).toBe(404);
    expect((await testApp.call({ ...inboundText(company, { from: '4915112345678', text: 'Hi' }), path })).status).toBe(404);
  });
});

describe('a post', () => {
  test('unsigned, wrongly signed or changed after signing is 401 when an app secret is set, and nothing of it is applied', async () => {
    const signed = inboundText(company, { from: nextPhone(), text: 'Hi' });
    const { 'x-hub-signature-256': signature = '', ...unsigned } = signed.headers ?? {};
    const headers = [
      unsigned,
      { ...unsigned, 'x-hub-signature-256': '' },
      { ...unsigned, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    ];
    for (const given of headers) expect((await testApp.call({ ...signed, headers: given })).status).toBe(401);
    const changed = await testApp.call({
      ...signed,
      body: `${String(signed.body)} `,
      headers: { ...unsigned, 'x-hub-signature-256': signature },
    });
    expect([changed.status, problemOf(changed).code]).toEqual([401, 'invalid_signature']);
    expect(testApp.queued(providerUpdatesQueue)).toEqual([]);
  });

  test('is accepted on the URL alone when no app secret is set', async () => {
    const open = await newCompany({ appSecret: null });
    expect((await testApp.call(inboundText(open, { from: nextPhone(), text: 'Hi' }))).body).toEqual(received);
    await testApp.drain();
    expect(await fixture.messages(open.id)).toHaveLength(1);
  });

  test.each([
    ['broken JSON', '{"entry":['],
    ['a list', '[]'],
    ['a text', '"entry"'],
    ['nothing', ''],
  ])('of %s is 400', async (_, body) => {
    const answer = await testApp.call(providerPost(company, body));
    expect([answer.status, problemOf(answer).code]).toEqual([400, 'invalid_json']);
  });

  test('of more than 3 MB is 413; a little less is accepted', async () => {
    const sized = (bytes: number) => providerPost(company, { entry: [], filler: 'x'.repeat(bytes) });
    expect((await testApp.call(sized(3_000_000))).status).toBe(413);
    expect((await testApp.call(sized(2_900_000))).status).toBe(200);
  });

  // as many as the provider puts into one
  const updates = isFullSize() ? 1_000 : 200;
  test(`of ${updates} updates is worked each alone`, async () => {
    const other = await newCompany();
    const from = nextPhone();
    const at = Math.floor(testApp.clock.now() / 1_000);
    const messages = Array.from({ length: updates }, (_, index) => ({
      from,
      id: `wamid.many-${index}`,
      timestamp: String(at - index),
      type: 'text',
      text: { body: `Number ${index}` },
    }));
    expect((await testApp.call(providerPost(other, providerEnvelope(other, { messages })))).body).toEqual(received);
    expect(testApp.queued(providerUpdatesQueue)).toHaveLength(updates);
    await testApp.drain();
    expect(await fixture.messages(other.id)).toHaveLength(updates);
    expect(only(await fixture.items(other.id, 'conversation'))).toMatchObject({ unread: updates });
  });

  test('queues statuses apart from what contacts write, so that they delay no message; those of the queue of before are applied too', async () => {
    const other = await newCompany();
    const from = nextPhone();
    const text = { from, id: 'wamid.between', timestamp: '1790000000', type: 'text', text: { body: 'Between statuses' } };
    const status = { id: 'wamid.unknown', status: 'read', timestamp: '1790000000', recipient_id: from };
    const statuses = [status, { ...status, status: 'delivered' }];
    expect((await testApp.call(providerPost(other, providerEnvelope(other, { messages: [text], statuses })))).body).toEqual(received);
    expect(testApp.queued(providerUpdatesQueue)).toMatchObject([{ update: { kind: 'message', message: { id: text.id } } }]);
    expect(testApp.queued(providerStatusesQueue)).toMatchObject(statuses.map((each) => ({ status: each })));
    await testApp.drain();
    expect(await fixture.items(other.id, 'parked-status')).toHaveLength(2);
    const earlier = {
      company_id: other.id,
      received_at: testApp.clock.now(),
      update: { kind: 'status' as const, status: { ...status, status: 'sent' } },
    };
    await send(providerUpdatesQueue, [{ companyId: other.id, message: earlier }]);
    await testApp.drain();
    expect(await fixture.items(other.id, 'parked-status')).toHaveLength(3);
  });

  test.each([
    ['an unknown field', { entry: [{ changes: [{ field: 'flows', value: { a: [1, { b: 'ü' }] } }] }] }],
    ['an unknown root', { object: 'page', hello: 'world' }],
    ['an empty object', {}],
    ['entries that are no objects', { entry: [1, null, 'x'] }],
    ['a change without a value', { entry: [{ changes: [{ field: 'messages' }] }] }],
    ['a value without messages', { entry: [{ changes: [{ field: 'messages', value: { errors: [{ code: 131000 }] } }] }] }],
  ])('with %s is 200 and archived whole', async (_, body) => {
    const other = await newCompany();
    expect((await testApp.call(providerPost(other, body))).body).toEqual(received);
    await testApp.drain();
    const stored = await fixture.items(other.id, 'archived-update');
    expect(stored.length).toBeGreaterThan(0);
    for (const item of stored) expect(JSON.stringify(body)).toContain(String(item['body']));
  });

  test('an update larger than a queue message is archived whole, in parts that cut no character', async () => {
    const other = await newCompany();
    const value = { history: '𝄞ä'.repeat(250_000) };
    expect((await testApp.call(providerPost(other, { entry: [{ changes: [{ field: 'history', value }] }] }))).status).toBe(200);
    const parts = (await fixture.items(other.id, 'archived-update')).sort((a, b) => Number(a['part']) - Number(b['part']));
    expect(parts.length).toBeGreaterThan(1);
    expect(JSON.parse(parts.map((part) => part['body']).join(''))).toMatchObject({ field: 'history', value });
  });

  test('a neighbour that cannot be read spoils nothing', async () => {
    const other = await newCompany();
    const good = { from: nextPhone(), id: 'wamid.good', timestamp: '1790000000', type: 'text', text: { body: 'Good' } };
    const body = {
      entry: [
        null,
        {
          id: Number(other.number.wabaId),
          changes: [
            '?',
            { field: 'messages', value: { contacts: [null, 5], metadata: 'x', messages: [null, { id: 5 }, good], statuses: [{}] } },
          ],
        },
      ],
    };
    expect((await testApp.call(providerPost(other, body))).status).toBe(200);
    await testApp.drain();
    expect(only(await fixture.messages(other.id))).toMatchObject({ wamid: 'wamid.good', value: 'Good' });
    expect(testApp.deadLettersOf(providerUpdatesQueue)).toEqual([]);
  });
});

describe('an inbound message', () => {
  test('becomes a message of its contact, counts as unread, opens the window, and is one event', async () => {
    const from = nextPhone();
    const at = Math.floor(testApp.clock.now() / 1_000) * 1_000 - 5_000;
    await testApp.call(inboundText(company, { from, text: 'Grüße 👋🏽 مرحبا', id: 'wamid.hello', name: 'Ana Ñandú', at }));
    await testApp.drain();
    const message = only((await fixture.messages(company.id)).filter((each) => each.wamid === 'wamid.hello'));
    expect(message).toMatchObject({ inbound: true, type: 1, subtype: 'text', value: 'Grüße 👋🏽 مرحبا', status: 3, createdAt: at });
    const conversation = (await fixture.items(company.id, 'conversation')).find((each) => each['contactId'] === message.contactId);
    expect(conversation).toMatchObject({ unread: 1, lastMessageId: message.id, lastInboundAt: at });
    const published = testApp.events.filter(
      ({ name, detail }) => name === 'message.received' && (detail['data'] as { wamid: string }).wamid === 'wamid.hello',
    );
    expect(published).toHaveLength(1);
  });

  test('posted again, in another order, with others, stays one message', async () => {
    const other = await newCompany();
    const from = nextPhone();
    const posts = Array.from({ length: 6 }, (_, index) =>
      inboundText(other, { from, text: `Text ${index}`, id: `wamid.again-${index}`, at: 1_790_000_000_000 }),
    );
    for (const post of shuffled([...posts, ...posts, ...posts], seeded(4))) {
      await testApp.call(post);
      if (posts.indexOf(post) % 2 === 0) await testApp.drain({ disorder: { seed: 9, duplicate: 0.5, reorder: true } });
    }
    await testApp.drain();
    expect((await fixture.messages(other.id)).map((each) => each.value).sort()).toEqual(posts.map((_, index) => `Text ${index}`));
    expect(only(await fixture.items(other.id, 'conversation'))).toMatchObject({ unread: 6 });
    expect((await testApp.dump()).filter((item) => item['kind'] === 'contact' && item['c'] === other.id)).toHaveLength(1);
  });

  test('of an unknown kind is stored with its payload, 200', async () => {
    const other = await newCompany();
    const gift = { from: nextPhone(), id: 'wamid.gift', timestamp: '1790000000', type: 'gift', gift: { size: [1, { unit: 'ü' }] } };
    const answer = await testApp.call(providerPost(other, providerEnvelope(other, { messages: [gift] })));
    expect(answer.body).toEqual(received);
    await testApp.drain();
    const message = only(await fixture.messages(other.id));
    expect(message).toMatchObject({ type: 1, subtype: 'gift', value: '' });
    expect(JSON.parse(message.raw ?? '')).toMatchObject(gift);
  });

  test('two of one sender in one second whose ids collide are both stored, also when posted again', async () => {
    const other = await newCompany();
    const from = nextPhone();
    // the 21 bits of these two hashes are the same
    const [a, b] = collision();
    for (const id of [a, b, a, b, b]) await testApp.call(inboundText(other, { from, text: id, id, at: 1_790_000_000_000 }));
    await testApp.drain();
    expect(new Set((await fixture.messages(other.id)).map((each) => each.wamid))).toEqual(new Set([a, b]));
    expect(await fixture.messages(other.id)).toHaveLength(2);
  });
});

describe('a status', () => {
  const rowOf = async (id: number) => (await fixture.messages(company.id)).find((each) => each.id === id);
  const sent = async () => {
    await fixture.faults({ hold_statuses: true });
    const phone = nextPhone();
    const result = resultOf(await fixture.send(company, phone, 'Hello'));
    return {
      ...result,
      phone,
      wamid: result.message_wamid ?? '',
      reference: formatReference(company.id, result.contact_id, result.message_id),
    };
  };

  test('in any order, any number of times: the message ends read, and each of its steps is one event', async () => {
    const { message_id, wamid, reference } = await sent();
    const posts = ['sent', 'delivered', 'read'].map((status) =>
      statusPost(company, { id: wamid, status, biz_opaque_callback_data: reference }),
    );
    for (const post of shuffled([...posts, ...posts, ...posts], seeded(7))) await testApp.call(post);
    await testApp.drain({ disorder: { seed: 2, duplicate: 0.5, reorder: true } });
    expect(await rowOf(message_id)).toMatchObject({ status: 4 });
    const steps = testApp.events.flatMap(({ name, detail }) => {
      const data = detail['data'] as { message_id: number; status: number };
      return name === 'message.status' && data.message_id === message_id ? [{ id: detail['id'], status: data.status }] : [];
    });
    expect(steps.at(-1)?.status).toBe(4);
    // an event may be delivered twice under its own id; each step has one id
    expect(new Set(steps.map(({ id }) => id)).size).toBe(new Set(steps.map(({ status }) => status)).size);
  });

  test('is written with the others of its batch in one request; one that is not as usual once more alone, and all end right', async () => {
    const messages = [await sent(), await sent(), await sent()];
    const steps = ['delivered', 'delivered', 'read'];
    for (const [nth, { wamid, reference }] of messages.entries())
      await testApp.call(statusPost(company, { id: wamid, status: steps[nth] ?? '', biz_opaque_callback_data: reference }));
    const writes: unknown[] = [];
    using _watch = testApp.onTable(({ command, input, when }) => {
      if (when !== 'before') return;
      const statements = command === 'BatchExecuteStatement' ? (input['Statements'] as { Statement: string }[]) : [];
      if (statements.some(({ Statement }) => Statement.includes('"wamid"=?'))) writes.push(statements.length);
      if (command === 'UpdateItem' && String(input['ConditionExpression']).includes('IN')) writes.push('alone');
    });
    await testApp.drain();
    expect(writes).toEqual([3, 'alone']);
    expect(await Promise.all(messages.map(async ({ message_id }) => (await rowOf(message_id))?.status))).toEqual([3, 3, 4]);
    expect(await Promise.all(messages.map(async ({ message_id }) => (await rowOf(message_id))?.rev))).toEqual([2, 2, 2]);
  });

  test('without our reference is found by its recipient and wamid', async () => {
    const { message_id, wamid, phone } = await sent();
    await testApp.call(statusPost(company, { id: wamid, status: 'delivered', recipient_id: phone }));
    await testApp.drain();
    expect(await rowOf(message_id)).toMatchObject({ status: 3 });
  });

  test("with another company's reference changes nothing there", async () => {
    const { message_id, wamid, reference } = await sent();
    const other = await newCompany();
    await testApp.call(statusPost(other, { id: wamid, status: 'read', biz_opaque_callback_data: reference }));
    await testApp.drain();
    expect(await rowOf(message_id)).toMatchObject({ status: 2 });
  });

  test('of an unknown wamid is parked, and holds back no other status of the recipient', async () => {
    const { phone } = await sent();
    await testApp.call(statusPost(company, { id: 'wamid.later', status: 'delivered', recipient_id: phone }));
    await testApp.drain();
    expect(await fixture.items(company.id, 'parked-status')).toHaveLength(1);
    const inTime = resultOf(await fixture.send(company, phone, 'Second'));
    await testApp.call(statusPost(company, { id: inTime.message_wamid ?? '', status: 'delivered', recipient_id: phone }));
    await testApp.passTime(10);
    expect(await rowOf(inTime.message_id)).toMatchObject({ status: 3 });
  });

  test('parked twice is one parked status; once its message is found it is applied and deleted', async () => {
    const other = await fixture.company();
    await fixture.faults({ hold_statuses: true });
    const phone = nextPhone();
    const early = statusPost(other, { id: 'wamid.early', status: 'read', recipient_id: phone });
    await testApp.call(early);
    await testApp.call(early);
    await testApp.drain();
    expect(await fixture.items(other.id, 'parked-status')).toHaveLength(1);
    const answersEarly = onFetch(async () => Response.json({ messages: [{ id: 'wamid.early' }] }));
    const { message_id } = await fixture
      .send(other, phone, 'Hello')
      .then(resultOf)
      .finally(() => answersEarly[Symbol.dispose]());
    await testApp.passTime(10);
    expect(only(await fixture.messages(other.id))).toMatchObject({ id: message_id, status: 4 });
    expect(await fixture.items(other.id, 'parked-status')).toEqual([]);
  });

  test('of an unknown wamid is tried for seven days, then deleted without an error or a dead letter', async () => {
    const other = await newCompany();
    const before = testApp.logs.length;
    await testApp.call(statusPost(other, { id: 'wamid.nobody', status: 'read', recipient_id: '4915100000001' }));
    await testApp.drain();
    for (let hours = 0; hours < 24 * 8 && (await fixture.items(other.id, 'parked-status')).length > 0; hours += 12) {
      await testApp.tick();
      await testApp.drain();
      testApp.clock.advance(12 * 3_600_000);
    }
    expect(await fixture.items(other.id, 'parked-status')).toEqual([]);
    expect(testApp.logs.slice(before).filter((line) => line['level'] === 'ERROR' || line['level'] === 'WARN')).toEqual([]);
  });
});

/** Two provider ids whose message ids meet in one second, found by trying. */
function collision(): [string, string] {
  const seen = new Map<number, string>();
  for (let index = 0; ; index++) {
    const id = `wamid.c${index}`;
    const bits = messageId(0, id);
    const other = seen.get(bits);
    if (other) return [other, id];
    seen.set(bits, id);
  }
}
