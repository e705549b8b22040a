import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { updateCompany } from '../../functions/account/service/companies.ts';
import { addNumber, updateNumber } from '../../functions/account/service/numbers.ts';
import { sendsQueue } from '../../functions/messaging/contract/queue.ts';
import { messageStatuses } from '../../functions/messaging/contract/stored.ts';
import { formatReference } from '../../functions/messaging/contract/reference.ts';
import { providerHttp } from '../../shared/provider/http.ts';
import { send as queue } from '../../shared/queue/send.ts';
import { unwrap, inboundText, statusPost } from '../support/company.ts';
import { freePort } from '../support/emulators.ts';
import { replyOf } from '../support/fetch-hook.ts';
import { only, problemOf, resultOf, startFixture } from './fixture.ts';

const fixture = await startFixture();
afterAll(() => fixture.stop());
afterEach(async () => {
  vi.restoreAllMocks();
  await fixture.faults({});
});
const { testApp } = fixture;
const company = await fixture.company();
let phones = 4_915_100_000_000;
const nextPhone = (): string => String(++phones);

/** Real time is not ours to move: the provider's silence is waited for a little, in place of ten seconds. */
const waitBriefly = () => {
  const { send } = providerHttp;
  return vi.spyOn(providerHttp, 'send').mockImplementation((address, call) => send(address, { ...call, timeoutMs: 300 }));
};

/** The provider's answer to the next call. */
const answerOnce = async (answer: Response): Promise<void> => {
  vi.spyOn(providerHttp, 'send').mockResolvedValueOnce(await replyOf(answer));
};

describe('a send that the provider takes', () => {
  test('answers 200 with the wamid, status 2, and has our reference in the request', async () => {
    const phone = nextPhone();
    const answer = await fixture.send(company, `+${phone}`, 'Hello');
    expect(answer.status).toBe(200);
    const result = resultOf(answer);
    const accepted = only(await fixture.ledger(phone));
    expect(result).toMatchObject({ message_wamid: accepted.wamid, status: 2, ambiguous: false, scheduled_at: null });
    expect(result.conversation_id).toBe(result.contact_id);
    expect(accepted.reference).toBe(formatReference(company.id, result.contact_id, result.message_id));
    expect(accepted.payload).toMatchObject({
      to: `+${phone}`,
      recipient_type: 'individual',
      type: 'text',
      text: { body: 'Hello', preview_url: false },
    });
  });

  test('becomes read by its webhooks, and each step is one event', async () => {
    const phone = nextPhone();
    const { message_id } = resultOf(await fixture.send(company, phone, 'Hello'));
    await testApp.drain();
    await fixture.deliverAll();
    const message = (await fixture.messages(company.id)).find((each) => each.id === message_id);
    expect(message).toMatchObject({ status: messageStatuses.read });
    expect([message?.sentAt, message?.deliveredAt, message?.readAt]).not.toContain(undefined);
    const published = testApp.events.filter(
      ({ name, detail }) => name === 'message.status' && (detail['data'] as { message_id: number }).message_id === message_id,
    );
    // statuses that arrive together may be applied in any order, so a step can be skipped, but none is published twice or backwards
    const moves = published.map(({ detail }) => (detail['data'] as { status: number }).status);
    expect(moves).toEqual([...new Set(moves)].toSorted((a, b) => a - b));
    expect([moves[0], moves.at(-1)]).toEqual([messageStatuses.sent, messageStatuses.read]);
    expect(new Set(published.map(({ detail }) => detail['id'])).size).toBe(moves.length);
  });

  test('is found by its id and its contact, with who sent it and what became of it in order', async () => {
    const phone = nextPhone();
    const sent = resultOf(await fixture.send(company, phone, 'Hello'));
    await testApp.drain();
    await fixture.deliverAll();
    const get = (query: Record<string, string>, id = sent.message_id) =>
      testApp.call({ method: 'GET', path: `/api/v1/messages/${id}`, token: company.tokens.owner, query });
    const found = await get({ contact_id: String(sent.contact_id) });
    expect(found.status, found.raw).toBe(200);
    const { data } = z
      .object({ data: z.looseObject({ timeline: z.array(z.object({ step: z.string(), at: z.string() })) }) })
      .parse(found.body);
    expect(data).toMatchObject({
      id: sent.message_id,
      fb_message_id: sent.message_wamid,
      status: 4,
      attempts: 1,
      sent_by: { via: 'api', user_id: expect.any(Number), token_id: expect.any(Number), campaign_id: null },
    });
    expect(data.timeline.map(({ step }) => step)).toEqual(['accepted', 'claimed', 'sent', 'delivered', 'read']);
    expect(data.timeline.map(({ at }) => at)).toEqual(data.timeline.map(({ at }) => at).toSorted());
    const others = [await get({}), await get({ contact_id: String(sent.contact_id) }, 123), await get({ contact_id: '999999' })];
    expect(others.map(({ status }) => status)).toEqual([404, 404, 404]);
    const remedies = others.map(({ body }) => z.object({ remedy: z.string() }).parse(body).remedy);
    expect(remedies).toEqual([expect.stringMatching(/^Name the contact too/), ...Array(2).fill(expect.stringMatching(/^Check the id/))]);
  });

  test('is the same by GET, with a Deprecation header, and HEAD never sends', async () => {
    const phone = nextPhone();
    const call = { path: '/api/v1/messages/text', query: { phone, message: 'By GET' }, token: company.tokens.member };
    const conversation = await testApp.call({ method: 'HEAD', ...call });
    expect(conversation.status).toBe(405);
    expect(await fixture.ledger(phone)).toEqual([]);
    const got = await testApp.call({ method: 'GET', ...call });
    expect(got.status).toBe(200);
    expect(got.headers['deprecation']).toBeDefined();
    expect(only(await fixture.ledger(phone)).payload).toMatchObject({ text: { body: 'By GET' } });
  });

  test('goes to the one contact of all forms of its number', async () => {
    const first = resultOf(await fixture.send(company, '+52 55 1234 5678', 'One'));
    const second = resultOf(await fixture.send(company, '0052 1 55 1234 5678', 'Two'));
    expect(second.contact_id).toBe(first.contact_id);
  });

  test('shows the window: closed with a warning before the customer wrote, open until 24 hours after', async () => {
    const phone = nextPhone();
    const before = resultOf(await fixture.send(company, phone, 'Anybody there?'));
    expect(before.window).toEqual({ open: false, expires_at: null });
    expect(before.warnings).toHaveLength(1);
    const at = Math.floor(testApp.clock.now() / 1_000) * 1_000;
    await testApp.call(inboundText(company, { from: phone, text: 'Yes', at }));
    await testApp.drain();
    const after = resultOf(await fixture.send(company, phone, 'Good'));
    expect(after.window).toEqual({ open: true, expires_at: `${new Date(at + 86_400_000).toISOString().slice(0, -1)}000Z` });
    expect(after.warnings).toEqual([]);
  });
});

describe('a send that the provider refuses', () => {
  test('answers 422 with the meaning of the code, and the row stays as failed', async () => {
    await answerOnce(
      Response.json({ error: { message: '(#131042)', code: 131042, error_data: { details: 'Zahlungsproblem' } } }, { status: 400 }),
    );
    const answer = await fixture.send(company, nextPhone(), 'Hello');
    expect(answer.status).toBe(422);
    const { code, details } = problemOf(answer);
    expect(code).toBe('provider_rejected');
    expect(details).toEqual({
      message_id: expect.any(Number),
      provider_code: 131042,
      title: 'Payment problem',
      details: 'Zahlungsproblem',
      retryable: false,
      fix: expect.stringContaining('payment'),
    });
    const row = (await fixture.messages(company.id)).find((message) => message.id === details?.['message_id']);
    expect(row).toMatchObject({ status: messageStatuses.failed, error: { code: 131042, details: 'Zahlungsproblem' } });
  });

  test.each([
    ['a number that cannot be one', { phone: '12', message: 'x' }, 'phone'],
    ['no text', { phone: '4915112345678', message: '   ' }, 'message'],
    ['a text of 4,097 characters', { phone: '4915112345678', message: 'x'.repeat(4_097) }, 'message'],
    ['an unknown window policy', { phone: '4915112345678', message: 'x', window_policy: 'maybe' }, 'window_policy'],
  ])('%s is 422 on its field and is not sent', async (_, body, field) => {
    const before = (await fixture.ledger()).length;
    const answer = await testApp.call({ method: 'POST', path: '/api/v1/messages/text', token: company.tokens.member, body });
    expect(answer.status).toBe(422);
    expect(problemOf(answer).errors).toHaveProperty(field);
    expect(await fixture.ledger()).toHaveLength(before);
  });

  test('without an active number it is 422 number_missing', async () => {
    const other = await fixture.company();
    unwrap(await updateNumber(other.id, 1, { status: 'inactive' }));
    const answer = await fixture.send(other, nextPhone(), 'Hello');
    expect([answer.status, problemOf(answer).code]).toEqual([422, 'number_missing']);
  });

  test('window_policy enforce refuses outside the window, by company or by call, and lets through inside it', async () => {
    const strict = await fixture.company();
    unwrap(await updateCompany(strict.id, { settings: { window_policy: 'enforce' } }));
    const phone = nextPhone();
    const refused = await fixture.send(strict, phone, 'Hello');
    expect([refused.status, problemOf(refused).code]).toEqual([422, 'window_closed']);
    const byCall = { method: 'POST', path: '/api/v1/messages/text', token: company.tokens.member };
    expect((await testApp.call({ ...byCall, body: { phone, message: 'Hello', window_policy: 'enforce' } })).status).toBe(422);
    expect(await fixture.ledger(phone)).toEqual([]);
    await testApp.call(inboundText(strict, { from: phone, text: 'Hi' }));
    await testApp.drain();
    expect((await fixture.send(strict, phone, 'Hello')).status).toBe(200);
  });
});

describe('a send that must wait', () => {
  test.each([130429, 131056, 80007])(
    'throttled with %i it answers 200 without a wamid, status 0, and goes out after its wait',
    async (code) => {
      const phone = nextPhone();
      await answerOnce(Response.json({ error: { code } }, { status: 400 }));
      const answer = await fixture.send(company, phone, 'Hello');
      expect(answer.status).toBe(200);
      expect(resultOf(answer)).toMatchObject({ status: 0, message_wamid: null, ambiguous: false, scheduled_at: expect.any(String) });
      expect(await fixture.ledger(phone)).toEqual([]);
      const waitsUntil = Date.parse(resultOf(answer).scheduled_at ?? '');
      await testApp.passTime(70);
      const accepted = only(await fixture.ledger(phone));
      expect(Date.parse(String(accepted['at']))).toBeGreaterThanOrEqual(waitsUntil);
      await fixture.deliverAll();
      expect((await fixture.messages(company.id)).find((message) => message.wamid === accepted.wamid)).toMatchObject({
        status: 4,
        attempt: 2,
      });
    },
  );

  test('the simulator throttling every try keeps it waiting, and it goes out once when that ends', async () => {
    const phone = nextPhone();
    await fixture.faults({ throttle: 1 });
    expect(resultOf(await fixture.send(company, phone, 'Hello')).status).toBe(0);
    await testApp.passTime(20);
    expect(await fixture.ledger(phone)).toEqual([]);
    await fixture.faults({});
    await testApp.passTime(120);
    expect(await fixture.ledger(phone)).toHaveLength(1);
  });

  test('while the provider cannot be reached nothing has left: it waits, and is sent once when the provider is back', async () => {
    const other = await fixture.company();
    process.env['SWITCHBOARD_LOCAL'] = '1';
    unwrap(await updateNumber(other.id, 1, { base_url: `http://127.0.0.1:${await freePort()}` }));
    delete process.env['SWITCHBOARD_LOCAL'];
    const phone = nextPhone();
    const answer = await fixture.send(other, phone, 'Hello');
    expect([answer.status, resultOf(answer).status]).toEqual([200, 0]);
    await testApp.passTime(10);
    unwrap(await updateNumber(other.id, 1, { base_url: null }));
    await testApp.passTime(180);
    expect(await fixture.ledger(phone)).toHaveLength(1);
    expect(only(await fixture.messages(other.id)).status).toBeGreaterThanOrEqual(2);
  });

  test('an access token that cannot be opened is a call that was never made: it waits', async () => {
    const phone = nextPhone();
    const key = testApp.secrets.get('sealing');
    testApp.secrets.set('sealing', JSON.stringify({ id: 'other', key: 'another key altogether' }));
    testApp.clock.advance(6 * 60_000);
    const answer = await fixture.send(company, phone, 'Hello');
    expect([answer.status, resultOf(answer).status]).toEqual([200, 0]);
    testApp.secrets.set('sealing', key ?? '');
    testApp.clock.advance(6 * 60_000);
    await testApp.passTime(120);
    expect(await fixture.ledger(phone)).toHaveLength(1);
  });
});

describe('a send whose fate is unknown', () => {
  test.each([
    ['no answer in time', { timeout_after_accept: 1 }],
    ['a connection lost after the request', { reset: 1, seed: 2 }],
    ['a page of HTML with 5xx', { server_error: 1, seed: 5 }],
  ])('%s: 202, status 1, ambiguous, and never a second call', async (_, faults) => {
    const calls = waitBriefly();
    const phone = nextPhone();
    await fixture.faults({ ...faults, hold_statuses: true });
    const answer = await fixture.send(company, phone, 'Hello');
    expect(answer.status).toBe(202);
    expect(resultOf(answer)).toMatchObject({ status: 1, message_wamid: null, ambiguous: true });
    await fixture.faults({ hold_statuses: true });
    await testApp.passTime(600);
    expect(calls.mock.calls.filter(([address]) => address.endsWith('/messages'))).toHaveLength(1);
    expect((await fixture.ledger(phone)).length).toBeLessThanOrEqual(1);
    const row = (await fixture.messages(company.id)).find((each) => each.id === resultOf(answer).message_id);
    expect(row).toMatchObject({ status: messageStatuses.failed, ambiguous: true, error: { code: 'ambiguous_send' } });
  });

  test('a webhook settles it before two minutes are over, and the flag never comes', async () => {
    waitBriefly();
    const phone = nextPhone();
    await fixture.faults({ timeout_after_accept: 1 });
    const { message_id } = resultOf(await fixture.send(company, phone, 'Hello'));
    await fixture.faults({});
    await fixture.deliverAll();
    await testApp.passTime(300);
    const row = (await fixture.messages(company.id)).find((each) => each.id === message_id);
    expect(row).toMatchObject({ status: messageStatuses.read, wamid: only(await fixture.ledger(phone)).wamid });
    expect(row?.ambiguous).toBeUndefined();
    expect(row?.error).toBeUndefined();
  });

  test('evidence after the flag lifts the failure', async () => {
    waitBriefly();
    const phone = nextPhone();
    await fixture.faults({ timeout_after_accept: 1, hold_statuses: true });
    const { message_id, contact_id } = resultOf(await fixture.send(company, phone, 'Hello'));
    await testApp.passTime(180);
    const find = async () => (await fixture.messages(company.id)).find((each) => each.id === message_id);
    expect(await find()).toMatchObject({ status: messageStatuses.failed, ambiguous: true });
    const { wamid } = only(await fixture.ledger(phone));
    const reference = formatReference(company.id, contact_id, message_id);
    await testApp.call(statusPost(company, { id: wamid, status: 'delivered', biz_opaque_callback_data: reference }));
    await testApp.drain();
    expect(await find()).toMatchObject({ status: messageStatuses.delivered, wamid });
    expect((await find())?.ambiguous).toBeUndefined();
  });
});

describe('the same operation again', () => {
  test('one key at the same moment is one message at the provider', async () => {
    const phone = nextPhone();
    const answers = await Promise.all(Array.from({ length: 5 }, () => fixture.send(company, phone, 'Once', `k-${phone}`)));
    expect(await fixture.ledger(phone)).toHaveLength(1);
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ raw }) => raw)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(problemOf(answer).code).toBe('idempotency_in_progress');
    const replayed = await fixture.send(company, phone, 'Once', `k-${phone}`);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect(replayed.raw).toBe(done[0]?.raw);
  });

  test.each([
    ['before the claim', 'PutItem', 'before', 1],
    ['after the claim, before the call', 'PutItem', 'after', 0],
    ['after the call, before it is settled', 'UpdateItem', 'before', 1],
  ] as const)('after a crash %s a retry with the key does not send twice', async (_, command, when, sent) => {
    const phone = nextPhone();
    let crashed = false;
    {
      using _hook = testApp.onTable((call) => {
        const isMessage = JSON.stringify(call.input).includes('M#') && JSON.stringify(call.input).includes('#CV#');
        if (crashed || (isMessage && call.command === command && call.when === when)) {
          crashed = true;
          throw new Error('The process died.');
        }
      });
      await fixture.send(company, phone, 'Once', `c-${phone}`);
    }
    expect(crashed).toBe(true);
    testApp.clock.advance(40_000);
    const retried = await fixture.send(company, phone, 'Once', `c-${phone}`);
    expect([200, 202]).toContain(retried.status);
    await testApp.drain();
    await fixture.deliverAll();
    await testApp.passTime(300);
    const accepted = await fixture.ledger(phone);
    expect(accepted).toHaveLength(sent);
    const rows = (await fixture.messages(company.id)).filter((each) => each.phone === phone);
    expect(only(rows)).toMatchObject(accepted.length === 1 ? { status: 4, wamid: accepted[0]?.wamid } : { status: 5, ambiguous: true });
  });

  test('a due message delivered ten times at once is one call', async () => {
    const phone = nextPhone();
    await answerOnce(Response.json({ error: { code: 130429 } }, { status: 400 }));
    const { message_id, contact_id } = resultOf(await fixture.send(company, phone, 'Hello'));
    const row = (await fixture.messages(company.id)).find((each) => each.id === message_id);
    const message = { company_id: company.id, contact_id, message_id, due_at_ms: row?.dueAt ?? 0 };
    await queue(
      sendsQueue,
      Array.from({ length: 10 }, () => ({ companyId: company.id, message })),
    );
    testApp.clock.advance(2_000);
    await testApp.drain({ disorder: { seed: 1, duplicate: 1 } });
    expect(await fixture.ledger(phone)).toHaveLength(1);
  });

  test('a due message that comes early waits for its time', async () => {
    const phone = nextPhone();
    await answerOnce(Response.json({ error: { code: 80007 } }, { status: 400 }));
    const { message_id, contact_id } = resultOf(await fixture.send(company, phone, 'Hello'));
    const row = (await fixture.messages(company.id)).find((each) => each.id === message_id);
    const message = { company_id: company.id, contact_id, message_id, due_at_ms: row?.dueAt ?? 0 };
    await queue(sendsQueue, [{ companyId: company.id, message }]);
    await testApp.drain();
    expect(await fixture.ledger(phone)).toEqual([]);
    await testApp.passTime(65);
    expect(await fixture.ledger(phone)).toHaveLength(1);
  });

  test('a message that waits goes out from the number it was accepted for', async () => {
    const other = await fixture.company();
    unwrap(await updateNumber(other.id, 1, { status: 'inactive' }));
    const second = { phone_number_id: '990000001', waba_id: other.number.wabaId, access_token: 'token-of-a-second-number' };
    unwrap(await addNumber(other.id, { ...second, phone: '15559900001' }));
    const simulated = { ...second, company_id: other.id, display_phone_number: '15559900001', app_secret: 'none', verify_token: 'v' };
    await fixture.provider.control('PUT', '/_local/provider/numbers', { ...simulated, webhook_url: 'http://127.0.0.1:9/none' });
    const phone = nextPhone();
    await answerOnce(Response.json({ error: { code: 130429 } }, { status: 400 }));
    expect(resultOf(await fixture.send(other, phone, 'Hello')).status).toBe(0);
    unwrap(await updateNumber(other.id, 1, { status: 'active' }));
    await testApp.passTime(5);
    expect(only(await fixture.ledger(phone))).toMatchObject({ phone_number_id: '990000001' });
  });

  test('when the outcome cannot be written the caller still learns it, and the webhook settles the row', async () => {
    const phone = nextPhone();
    let broken = true;
    {
      using _hook = testApp.onTable((call) => {
        if (broken && call.command === 'UpdateItem' && JSON.stringify(call.input).includes('"M#')) throw new Error('The table is away.');
      });
      const answer = await fixture.send(company, phone, 'Hello');
      expect([answer.status, resultOf(answer).message_wamid]).toEqual([200, only(await fixture.ledger(phone)).wamid]);
      broken = false;
    }
    await fixture.deliverAll();
    expect((await fixture.messages(company.id)).find((each) => each.phone === phone)).toMatchObject({ status: 4 });
  });
});
