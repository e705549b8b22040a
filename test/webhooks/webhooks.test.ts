import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../support/gateway-event.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { answering, hanging, isSigned, type Receiver, startReceiver } from './receiver.ts';
import { getDeliveries, putDelivery } from '../../functions/webhooks/store/delivery.ts';
import { dataOf, type DeliveryView, type Endpoint, type Listener, startFixture, type WebhookFixture } from './fixture.ts';

let fixture: WebhookFixture;
let me: Listener;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  me = await fixture.company();
});

const hour = 3_600;

describe('an endpoint', () => {
  it('hears what it listens to, signed, with the specified headers and body, once', async () => {
    await using receiver = await startReceiver();
    const { id, secret } = await me.subscribe(receiver.url, ['message.received']);
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(receiver.received).toHaveLength(1);
    const [received] = receiver.received;
    if (!received) return;
    expect(isSigned(received, secret)).toBe(true);
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'x-webhook-event': 'message.received',
      'x-webhook-timestamp': received.headers['webhook-timestamp'],
      'webhook-id': expect.stringMatching(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/),
    });
    expect(JSON.parse(received.body)).toMatchObject({
      event: 'message.received',
      data: { message_id: expect.any(Number), contact_id: expect.any(Number) },
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      id: received.id,
      sequence: expect.stringMatching(/^\d+$/),
      company_id: me.id,
      api_version: '1.0',
    });
    expect(await me.deliveries(id)).toMatchObject([
      { id: received.id, status: 'delivered', attempts: 1, response: { status: 200, body: 'ok' } },
    ]);
  });

  it('is signed with the real time, which receivers check by their clocks, wherever the laptop’s clock was moved', async () => {
    await using receiver = await startReceiver();
    await me.subscribe(receiver.url, ['message.received']);
    fixture.testApp.clock.advance(48 * hour * 1_000);
    await me.receiveMessage();
    await fixture.testApp.drain();
    const off = Number(receiver.received[0]?.headers['webhook-timestamp']) * 1_000 - (performance.timeOrigin + performance.now());
    expect(Math.abs(off)).toBeLessThan(60_000);
  });

  it('gets no event it does not subscribe to, nothing of another company, and nothing once it is deleted', async () => {
    await using receiver = await startReceiver();
    const other = await fixture.company();
    const { id } = await me.subscribe(receiver.url, ['order.*', 'template.status']);
    await other.subscribe(receiver.url, ['contact.opted_out']);
    await Promise.all([me.receiveMessage(), other.receiveMessage()]);
    await fixture.testApp.drain();
    expect(receiver.received).toEqual([]);
    dataOf(await me.call('PUT', `/webhooks/${id}`, { events: ['message.received'] }));
    dataOf(await me.call('DELETE', `/webhooks/${id}`));
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(receiver.received).toEqual([]);
    expect((await me.call('GET', `/webhooks/${id}`)).status).toBe(404);
  });

  it('has a secret that is shown once; rotated, both sign for 24 hours', async () => {
    await using receiver = await startReceiver();
    const { id, secret } = await me.subscribe(receiver.url);
    expect((await me.call('GET', '/webhooks')).raw).not.toContain('whsec_');
    expect(JSON.stringify(await fixture.testApp.dump())).not.toContain(secret.slice('whsec_'.length));
    const next = dataOf<Endpoint>(await me.call('POST', `/webhooks/${id}/rotate`));
    expect(next.secret).not.toBe(secret);
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(receiver.received.map((received) => [isSigned(received, secret), isSigned(received, next.secret)])).toEqual([[true, true]]);
    fixture.testApp.clock.advance(24 * hour * 1_000);
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(receiver.received.slice(1).map((received) => [isSigned(received, secret), isSigned(received, next.secret)])).toEqual([
      [false, true],
    ]);
  });

  it('is created once under an Idempotency-Key, whose kept answer does not hold the secret in the clear', async () => {
    const create = () => me.call('POST', '/webhooks', { url: 'https://hooks.example.com/in', events: ['*'] }, { 'idempotency-key': 'k' });
    const [first, second] = [await create(), await create()];
    expect([second.raw, second.headers['idempotent-replayed']]).toEqual([first.raw, 'true']);
    const { secret } = dataOf<Endpoint>(first);
    expect(JSON.stringify(await fixture.testApp.dump())).not.toContain(secret.slice('whsec_'.length));
    expect(dataOf(await me.call('GET', '/webhooks'))).toHaveLength(1);
  });

  it('can be tried out, and sent an event again under the same id', async () => {
    await using receiver = await startReceiver();
    const { id } = await me.subscribe(receiver.url, ['order.created']);
    const test = dataOf<{ delivery_id: string }>(await me.call('POST', `/webhooks/${id}/test`));
    await fixture.testApp.drain();
    expect(receiver.received).toMatchObject([{ event: 'webhook.test', id: test.delivery_id }]);
    dataOf(await me.call('POST', `/webhooks/${id}/deliveries/${test.delivery_id}/resend`));
    await fixture.testApp.drain();
    expect(receiver.received.map((received) => received.id)).toEqual([test.delivery_id, test.delivery_id]);
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
    expect(await me.deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  it('that failed since a time is resent by one call, once; what succeeded, came before or is still tried is not', async () => {
    await using good = await startReceiver();
    const refuses: Receiver['manner'] = (_, response) => void (response.statusCode = 500);
    await using bad = await startReceiver(refuses);
    const [steady, failing] = [await me.subscribe(good.url), await me.subscribe(bad.url)];
    /** As after the last attempt, days later. */
    const giveUp = async (): Promise<void> => {
      await fixture.testApp.drain();
      const ids = (await me.deliveries(failing.id, '?status=pending')).map(({ id }) => id);
      for (const { nextAt: _, ...delivery } of await getDeliveries(me.id, failing.id, ids))
        await putDelivery({ ...delivery, status: 'failed' });
    };
    await me.receiveMessage('before');
    await giveUp();
    fixture.testApp.clock.advance(5_000);
    const since = new Date(fixture.testApp.clock.now()).toISOString();
    for (const text of ['one', 'two', 'three']) await me.receiveMessage(text);
    await giveUp();
    fixture.testApp.clock.advance(5_000);
    await me.receiveMessage('still tried');
    await fixture.testApp.drain();
    const failed = (await me.deliveries(failing.id, '?status=failed')).map(({ id }) => id);
    expect(failed).toHaveLength(4);
    bad.manner = () => undefined;
    const [receivedBefore, goodBefore] = [bad.received.length, good.received.length];
    const replay = (more = {}) => me.call('POST', '/deliveries/replay', { since, ...more });
    expect(dataOf(await replay({ webhook_id: failing.id }))).toMatchObject({ resent: 3, skipped: 0, has_more: false });
    expect(dataOf(await replay())).toMatchObject({ resent: 0 });
    await fixture.testApp.drain();
    expect(
      bad.received
        .slice(receivedBefore)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(failed.slice(0, 3).toSorted());
    expect(good.received).toHaveLength(goodBefore);
    expect(dataOf(await replay())).toMatchObject({ resent: 0 });
    expect((await replay({ webhook_id: 999 })).status).toBe(404);
    expect((await me.call('POST', '/deliveries/replay', { since: 'yesterday' })).status).toBe(422);

    const one = (query: string) => me.call('GET', `/deliveries${query}`);
    const all = dataOf<{ id: string; webhook_id: number }[]>(await one('?limit=100'));
    expect(new Set(all.map(({ webhook_id }) => webhook_id))).toEqual(new Set([steady.id, failing.id]));
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer: Answer = await one(`?limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      const { data, meta } = answer.body as { data: { id: string; webhook_id: number }[]; meta: { next_cursor: string | null } };
      paged.push(...data.map(({ id, webhook_id }) => `${id} ${webhook_id}`));
      cursor = meta.next_cursor;
    }
    expect(paged).toEqual(all.map(({ id, webhook_id }) => `${id} ${webhook_id}`));
  });

  it('has deliveries that are found by event, answer, time and id, of one endpoint and of all; a cursor is of its filters', async () => {
    await using good = await startReceiver();
    await using bad = await startReceiver(answering(503, { 'x-trace': 'abc', 'set-cookie': 'session=1' }, 'busy'));
    const [steady, failing] = [await me.subscribe(good.url), await me.subscribe(bad.url)];
    const at = (): string => new Date(fixture.testApp.clock.now()).toISOString();
    await me.receiveMessage('before');
    await fixture.testApp.drain();
    fixture.testApp.clock.advance(60_000);
    const between = at();
    fixture.testApp.clock.advance(60_000);
    await me.receiveMessage('after');
    dataOf(await me.call('POST', `/webhooks/${failing.id}/test`));
    await fixture.testApp.drain();
    const found = async (query: string): Promise<string[]> =>
      dataOf<(DeliveryView & { webhook_id: number })[]>(await me.call('GET', `/deliveries?${query}`)).map(
        ({ event, webhook_id, response }) => `${event} ${webhook_id === steady.id ? 'steady' : 'failing'} ${response?.status}`,
      );
    const [received, tested] = ['message.received', 'webhook.test'];
    expect(await found('event=webhook.test')).toEqual([`${tested} failing 503`]);
    expect(await found('response_status=200')).toEqual([`${received} steady 200`, `${received} steady 200`]);
    expect(await found(`response_status=503&to=${between}`)).toEqual([`${received} failing 503`]);
    expect((await found(`from=${between}`)).toSorted()).toEqual([
      `${received} failing 503`,
      `${received} steady 200`,
      `${tested} failing 503`,
    ]);
    expect(await found('event=order.created')).toEqual([]);
    const oldest = (await me.deliveries(failing.id)).at(-1)?.id;
    expect((await found(`event_id=${oldest}`)).toSorted()).toEqual([`${received} failing 503`, `${received} steady 200`]);
    expect(await found(`event_id=${oldest}&response_status=200`)).toEqual([`${received} steady 200`]);
    expect((await me.deliveries(failing.id, `?event=message.received&from=${between}`)).map(({ id }) => id)).not.toContain(oldest);
    const refusedFields = async (query: string): Promise<string[]> =>
      Object.keys(((await me.call('GET', `/deliveries?${query}`)).body as { errors: object }).errors);
    expect(await refusedFields('event_id=evt_1')).toEqual(['event_id']);
    expect(await refusedFields('from=yesterday')).toEqual(['from']);
    expect(await refusedFields('event=order.creates')).toEqual(['event']);
    expect(await refusedFields(`from=${between}&to=2026-01-01T00:00:00Z`)).toEqual(['to']);
    const page = (await me.call('GET', '/deliveries?limit=1&response_status=200')).body as { meta: { next_cursor: string } };
    const cursor = encodeURIComponent(page.meta.next_cursor);
    expect(await found(`limit=1&response_status=200&cursor=${cursor}`)).toEqual([`${received} steady 200`]);
    expect((await me.call('GET', `/deliveries?limit=1&response_status=503&cursor=${cursor}`)).status).toBe(400);
  });

  it('keeps the headers of an attempt that failed, as they were signed, without cookies; of a success none', async () => {
    await using receiver = await startReceiver(answering(503, { 'x-trace': 'abc', 'set-cookie': 'session=1' }, 'busy'));
    const { id } = await me.subscribe(receiver.url);
    await me.receiveMessage();
    await fixture.testApp.drain();
    const [failed] = await me.deliveries(id);
    expect(failed?.request.headers).toMatchObject({
      'webhook-id': failed?.id,
      'webhook-signature': receiver.received[0]?.headers['webhook-signature'],
      'webhook-timestamp': receiver.received[0]?.headers['webhook-timestamp'],
    });
    expect(failed?.response?.headers).toMatchObject({ 'x-trace': 'abc' });
    expect(failed?.response?.headers).not.toHaveProperty('set-cookie');
    receiver.manner = () => undefined;
    // what waits is tried at once
    dataOf(await me.call('POST', `/webhooks/${id}/deliveries/${failed?.id}/resend`));
    await fixture.testApp.drain();
    const [delivered] = await me.deliveries(id);
    expect([delivered?.status, delivered?.request.headers, delivered?.response?.headers]).toEqual(['delivered', null, null]);
    await fixture.pass(hour);
    expect(receiver.received).toHaveLength(2);
  });

  it.each([
    [{ url: 'http://hooks.example.com', events: ['*'] }, 'url'],
    [{ url: 'https://10.0.0.1/', events: ['*'] }, 'url'],
    [{ url: 'https://169.254.169.254/latest', events: ['*'] }, 'url'],
    [{ url: 'https://metadata.google.internal/', events: ['*'] }, 'url'],
    [{ url: 'https://user:pass@hooks.example.com/', events: ['*'] }, 'url'],
    [{ url: 'nonsense', events: ['*'] }, 'url'],
    [{ url: 'https://hooks.example.com/', events: [] }, 'events'],
    [{ url: 'https://hooks.example.com/', events: ['order.eaten'] }, 'events.0'],
    [{ url: 'https://hooks.example.com/' }, 'events'],
    [{ url: 'https://hooks.example.com/', events: ['*'], profile_id: '7f8a4f6e-6e4b-4f0e-9c39-1f6a0f5c2d11' }, 'profile_id'],
  ])('is refused as %j', async (body, field) => {
    const answer = await me.call('POST', '/webhooks', body);
    expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([422, [field]]);
  });

  it('is one of ten at most, also when they are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 13 }, (_, i) => me.call('POST', '/webhooks', { url: `https://hooks.example.com/${i}`, events: ['*'] })),
    );
    for (let again = 0; again < 12 && answers.some(({ status }) => status === 409); again++) {
      const at = answers.findIndex(({ status }) => status === 409);
      answers[at] = await me.call('POST', '/webhooks', { url: `https://hooks.example.com/${at}`, events: ['*'] });
    }
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(10).fill(200), 403, 403, 403]);
    expect(dataOf(await me.call('GET', '/webhooks'))).toHaveLength(10);
  });
});

describe('a receiver', () => {
  it('that was down for six hours hears every event once, signed, under one id, when it is back', async () => {
    await using receiver = await startReceiver();
    const { id, secret } = await me.subscribe(receiver.url, ['message.received']);
    await receiver.goDown();
    for (let i = 0; i < 4; i++) {
      await me.receiveMessage(`At ${i}`);
      await fixture.pass(hour);
    }
    await fixture.pass(2 * hour);
    expect(receiver.received).toEqual([]);
    const waiting = await me.deliveries(id);
    expect(waiting.map(({ status }) => status)).toEqual(Array(4).fill('pending'));
    await receiver.comeBack();
    await fixture.pass(10 * hour);
    expect(receiver.received.map((received) => received.id).toSorted()).toEqual(waiting.map((each) => each.id).toSorted());
    expect(receiver.received.every((received) => isSigned(received, secret))).toBe(true);
    const done = await me.deliveries(id);
    expect(done.map(({ status, error }) => [status, error])).toEqual(Array(4).fill(['delivered', null]));
    expect(done.every(({ attempts }) => attempts >= 7)).toBe(true);
  });

  it('that fails on and on is tried 11 times over about 69 hours, then given up', async () => {
    await using receiver = await startReceiver(answering(500, {}, 'broken'));
    const { id } = await me.subscribe(receiver.url, ['message.received']);
    await me.receiveMessage();
    await fixture.testApp.drain();
    for (let [next] = await me.deliveries(id); next?.next_attempt_at; [next] = await me.deliveries(id)) {
      const at = Date.parse(next.next_attempt_at);
      fixture.testApp.clock.moveTo(at - 60_000);
      await fixture.testApp.tick('every-minute');
      await fixture.testApp.drain({ including: 'delayed', until: at + 2_000 });
    }
    expect(receiver.received).toHaveLength(11);
    const waits = receiver.received.slice(1).map((received, i) => (received.at - (receiver.received[i]?.at ?? 0)) / 1_000);
    const planned = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400];
    planned.forEach((wait, i) => {
      expect(waits[i], `wait ${i}`).toBeGreaterThanOrEqual(wait * 0.9);
      expect(waits[i], `wait ${i}`).toBeLessThanOrEqual(wait * 1.1 + 4);
    });
    expect(await me.deliveries(id)).toMatchObject([{ status: 'failed', attempts: 11, error: 'http_500', response: { body: 'broken' } }]);
  });

  it('that fails for five days is disabled; made active again it hears what is new', async () => {
    await using receiver = await startReceiver(answering(500));
    const { id } = await me.subscribe(receiver.url, ['message.received']);
    await me.receiveMessage();
    await fixture.testApp.drain();
    fixture.testApp.clock.advance(4.9 * 24 * hour * 1_000);
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(dataOf(await me.call('GET', `/webhooks/${id}`))).toMatchObject({ status: 'active', failing_since: expect.any(String) });
    fixture.testApp.clock.advance(0.2 * 24 * hour * 1_000);
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(dataOf(await me.call('GET', `/webhooks/${id}`))).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    const received = receiver.received.length;
    await me.receiveMessage();
    await fixture.pass(hour);
    expect(receiver.received).toHaveLength(received);
    expect((await me.call('POST', `/webhooks/${id}/test`)).status).toBe(409);
    receiver.manner = answering(204);
    dataOf(await me.call('PUT', `/webhooks/${id}`, { status: 'active' }));
    await me.receiveMessage();
    await fixture.pass(60);
    expect(await me.deliveries(id, '?status=delivered')).not.toEqual([]);
  });

  it('that answers 410 is disabled at once', async () => {
    await using receiver = await startReceiver(answering(410));
    const { id } = await me.subscribe(receiver.url, ['message.received']);
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(dataOf(await me.call('GET', `/webhooks/${id}`))).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect(await me.deliveries(id)).toMatchObject([{ status: 'failed', error: 'gone' }]);
  });

  it('that answers 410 is disabled before its event is settled: who dies in between forgets nothing', async () => {
    await using receiver = await startReceiver(answering(410));
    const { id } = await me.subscribe(receiver.url, ['message.received']);
    await me.receiveMessage();
    {
      using _death = fixture.testApp.onTable(({ command, input, when }) => {
        const delivers = command === 'PutItem' && (input['Item'] as { kind?: string } | undefined)?.kind === 'webhook-delivery';
        if (delivers && when === 'before') throw tableError('SimulatedCrash');
      });
      await fixture.testApp.drain({ retry: false });
    }
    expect(dataOf(await me.call('GET', `/webhooks/${id}`))).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
  });

  it('may end an event, or name its own time', async () => {
    await using receiver = await startReceiver(answering(400, { 'webhook-delivery': 'abort-message' }));
    const { id } = await me.subscribe(receiver.url, ['message.received']);
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(await me.deliveries(id)).toMatchObject([{ status: 'aborted', attempts: 1 }]);
    receiver.manner = answering(429, { 'retry-after': '3600' });
    fixture.testApp.clock.advance(2_000);
    await me.receiveMessage();
    await fixture.testApp.drain();
    const [busy] = await me.deliveries(id);
    const inSeconds = (Date.parse(busy?.next_attempt_at ?? '') - fixture.testApp.clock.now()) / 1_000;
    expect(inSeconds).toBeGreaterThan(3_590);
    expect(inSeconds).toBeLessThan(3_602);
  });

  it.each([
    ['redirects', answering(302, { location: 'http://127.0.0.1:1/elsewhere' }), 'redirect'],
    ['never answers', hanging, 'timeout'],
    ['cuts the line', ((_received, response) => void response.destroy()) as typeof hanging, 'unreachable'],
  ])('that %s is tried again, and what it did is in the log', async (_what, manner, error) => {
    await using receiver = await startReceiver(manner);
    const { id } = await me.subscribe(receiver.url, ['message.received']);
    await me.receiveMessage();
    await fixture.testApp.drain();
    expect(receiver.received).toHaveLength(1);
    expect(await me.deliveries(id)).toMatchObject([{ status: 'pending', attempts: 1, error }]);
  });

  it('that answers without end has 4 KB of it kept', async () => {
    await using receiver = await startReceiver((_received, response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (response.write('x'.repeat(16_384)));
        response.once('drain', pour);
      };
      pour();
    });
    const { id } = await me.subscribe(receiver.url, ['message.received']);
    await me.receiveMessage();
    await fixture.testApp.drain();
    const [delivery] = await me.deliveries(id);
    expect([delivery?.status, delivery?.response?.body.length]).toEqual(['delivered', 4_096]);
  });
});

describe('deliveries', () => {
  it('are listed newest first, by page and by status', async () => {
    await using receiver = await startReceiver();
    const { id } = await me.subscribe(receiver.url, ['message.received']);
    for (let i = 0; i < 5; i++) {
      await me.receiveMessage(`Number ${i}`);
      await fixture.testApp.drain();
      fixture.testApp.clock.advance(2_000);
      if (i === 2) receiver.manner = answering(500);
    }
    const all = await me.deliveries(id);
    expect(all.map((each) => each.id)).toEqual(receiver.received.map((received) => received.id).toReversed());
    const first = await me.call('GET', `/webhooks/${id}/deliveries?limit=2`);
    const { meta } = first.body as { meta: { next_cursor: string } };
    const second = await me.deliveries(id, `?limit=2&cursor=${meta.next_cursor}`);
    expect([...dataOf<{ id: string }[]>(first), ...second].map((each) => each.id)).toEqual(all.slice(0, 4).map((each) => each.id));
    expect((await me.deliveries(id, '?status=pending')).map((each) => each.id)).toEqual(all.slice(0, 2).map((each) => each.id));
    expect((await me.call('GET', `/webhooks/${id}/deliveries?cursor=x`)).status).toBe(400);
  });
});
