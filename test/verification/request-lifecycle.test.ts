import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setProfileStatus } from '../../functions/account/service/verification-profiles.ts';
import { requestEntityName } from '../../functions/verification/contract/stored.ts';
import { codesQueue, expiriesQueue, safetyNetSeconds } from '../../functions/verification/contract/work.ts';
import { sendCode } from '../../functions/verification/service/send-code.ts';
import { onFetch } from '../support/fetch-hook.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { sendsQueue } from '../../functions/messaging/contract/queue.ts';
import { unwrap, inboundText, statusPost } from '../support/company.ts';
import { canonical } from '../../shared/runtime/json.ts';
import { type Condition, mendedBy } from '../support/mutation.ts';
import { type Caller, field, type Fixture, startFixture, wrongFor } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const requestCode = async (caller: Caller, identifier: string, more: Record<string, unknown> = {}) => {
  const answer = await caller.post('/request', { identifier, ...more });
  expect([answer.status, answer.raw]).toEqual([200, expect.any(String)]);
  return { id: String(field(answer, 'request_id')), reference: /text=Verify%20([A-Z0-9]{10})/.exec(answer.raw)?.[1] ?? '', answer };
};
const statusOf = async (caller: Caller, id: string) => (await caller.get(`/status/${id}`)).body as Record<string, unknown>;
const eventsOf = (id: string) => fixture.testApp.events.filter(({ detail }) => JSON.stringify(detail).includes(id)).map(({ name }) => name);

/** What failed comes back when the queue shows it again, and not before. */
const withinFiveSeconds = () => fixture.testApp.drain({ including: 'delayed', until: fixture.testApp.clock.now() + 5_000, retry: 'timed' });

const lastEventOf = (id: string) => fixture.testApp.events.findLast(({ detail }) => JSON.stringify(detail).includes(id))?.detail['data'];

const claimedBeforeItIsComposed: Condition = [
  {
    in: 'functions/verification/service/send-code.ts',
    replace: 'const unsealed = await unsealCode(request);',
    by: 'const early = await claimCode(command); const unsealed = await unsealCode(request);',
  },
  {
    in: 'functions/verification/service/send-code.ts',
    replace: 'claimed = await claimCode(command);\n    return claimed',
    by: 'claimed = early;\n    return claimed',
  },
];
const claimedBeforeItIsRead: Condition = [
  {
    in: 'functions/verification/service/send-code.ts',
    replace: 'const [profile, template, { code, recipient }] = await Promise.all([',
    by: 'const early = await claimCode(command); const [profile, template, { code, recipient }] = await Promise.all([',
  },
  { in: 'functions/verification/service/send-code.ts', replace: 'const claimed = await claimCode(command);', by: 'const claimed = early;' },
];
const releasedByNumberOfSend: Condition = {
  in: 'functions/verification/store/request.ts',
  replace: "all(equals('claimedSend', claimedSend), equals('claims', claims))",
  by: "equals('claimedSend', claimedSend)",
};

describe('one click', () => {
  const writes = async (caller: Caller, from: string, text: string) => {
    await fixture.testApp.call(inboundText(caller.company, { from, text }));
    await fixture.testApp.drain();
  };

  test('a message with the reference from the same phone verifies once, and no code is sent', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const { id, reference, answer } = await requestCode(caller, phone, { silent: true });
    // the text warns its sender: the link may have come from anyone
    const warning = 'Send this only if you yourself are signing in to Sign-in right now, and never because someone sent you the link.';
    const text = encodeURIComponent(`Verify ${reference} for Sign-in. ${warning}`);
    expect(field(answer, 'mobile_actions')).toMatchObject({
      one_click_whatsapp: {
        enabled: true,
        intent_url: `whatsapp://send?phone=${caller.company.number.phone}&text=${text}`,
        universal_url: `https://wa.me/${caller.company.number.phone}?text=${text}`,
      },
    });
    await writes(caller, phone.slice(1), `Verify ${reference}`);
    expect(await statusOf(caller, id)).toMatchObject({ status: 'verified', identifier: phone, trust_key: expect.stringMatching(/^tk_/) });
    await writes(caller, phone.slice(1), `Verify ${reference}`);
    expect(eventsOf(id)).toEqual(['verification.requested', 'verification.successful']);
    expect(fixture.provider.requests.some(({ body }) => body['to'] === phone)).toBe(false);
  });

  test('a message from another phone, after the expiry, or to another company changes nothing', async () => {
    const [caller, other] = [await fixture.newCaller(), await fixture.newCaller()];
    const phone = fixture.newPhone();
    const { id, reference } = await requestCode(caller, phone, { silent: true });
    await writes(caller, fixture.newPhone().slice(1), `Verify ${reference}`);
    await writes(other, phone.slice(1), `Verify ${reference}`);
    expect(await statusOf(caller, id)).toMatchObject({ status: 'pending' });
    fixture.testApp.clock.advance(601_000);
    await writes(caller, phone.slice(1), `Verify ${reference}`);
    expect(await statusOf(caller, id)).toMatchObject({ is_verified: false });
  });

  test('variants of a phone number share their request', async () => {
    const caller = await fixture.newCaller();
    const { id, reference } = await requestCode(caller, '+525512345678', { silent: true });
    await writes(caller, '5215512345678', `Verify ${reference}`);
    expect(await statusOf(caller, id)).toMatchObject({ status: 'verified', identifier: '+525512345678' });
  });

  test('a user id can be requested only with silent', async () => {
    const caller = await fixture.newCaller();
    expect((await caller.post('/request', { identifier: 'US.13491208655302741918' })).body).toMatchObject({ code: 'validation_failed' });
    expect((await caller.post('/request', { identifier: 'US.13491208655302741918', silent: true })).status).toBe(200);
  });
});

describe('expiry', () => {
  test('an unfinished request expires at its extended time, with one event', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const { id } = await requestCode(caller, phone);
    await caller.post('/verify', { request_id: id, code: 'WRONG1' });
    fixture.testApp.clock.advance(300_000);
    await requestCode(caller, phone);
    await fixture.testApp.passTime(400);
    expect(await statusOf(caller, id)).toMatchObject({ status: 'pending' });
    await fixture.testApp.passTime(300);
    expect(eventsOf(id)).toEqual(['verification.requested', 'verification.failed']);
    expect(lastEventOf(id)).toMatchObject({ status: 'expired', reason: 'expired', attempts: 1 });
    const stored = (await fixture.testApp.dump()).find((item) => item['kind'] === requestEntityName && item['id'] === id);
    expect(stored).toMatchObject({ status: 'expired' });
    expect(stored).not.toHaveProperty('sealedCode');
    expect(fixture.testApp.queued(expiriesQueue)).not.toContainEqual(expect.objectContaining({ request_id: id }));
  });

  test('a verified request publishes nothing more', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const { id } = await requestCode(caller, phone);
    await caller.post('/verify', { request_id: id, code: await fixture.codeFor(phone) });
    await fixture.testApp.passTime(1_000);
    expect(eventsOf(id)).toEqual(['verification.requested', 'verification.successful']);
  });
});

describe('sending', () => {
  test('codes have a queue of their own, and a queue message that is delivered twice sends once', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const bodies: string[] = [];
    using _hook = fixture.testApp.onQueue(({ when, command, input }) => {
      if (when === 'before' && command === 'SendMessageBatch') bodies.push(JSON.stringify(input));
    });
    const { id } = await requestCode(caller, phone);
    await fixture.testApp.drain();
    expect(fixture.provider.requests.filter(({ body }) => body['to'] === phone)).toHaveLength(1);
    // by the call, and by the change stream in case the call crashed
    expect(bodies.filter((body) => body.includes(id) && body.includes(codesQueue.name))).toHaveLength(2);
    expect(bodies.filter((body) => body.includes(sendsQueue.name))).toHaveLength(0);
    const message = { company_id: caller.company.id, request_id: id, send: 1, channel: 'whatsapp' };
    const record = {
      messageId: 'again',
      body: JSON.stringify(message),
      attributes: { ApproximateReceiveCount: '2' },
      messageAttributes: {},
    };
    const again = () => fixture.testApp.invokeFunction('verification-codes', { Records: [record, { ...record, messageId: 'and again' }] });
    // a code that was sent reserves no send slot
    expect((await fixture.testApp.meter(again)).wru).toBe(0);
    expect(fixture.provider.requests.filter(({ body }) => body['to'] === phone)).toHaveLength(1);
  });

  test('a code that its call could not enqueue is enqueued by the change stream within seconds, and sent once', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const broken = fixture.testApp.onQueue(({ when, command }) => {
      if (when === 'before' && command === 'SendMessageBatch') throw new Error('The queue is away');
    });
    await requestCode(caller, phone);
    broken[Symbol.dispose]();
    await fixture.testApp.drain();
    const sent = () => fixture.provider.requests.filter(({ body }) => body['to'] === phone);
    expect(sent()).toEqual([]);
    await fixture.testApp.passTime(safetyNetSeconds + 1);
    expect(sent()).toHaveLength(1);
  });

  test('a code by email whose first call did not leave is sent again within five seconds, once', async () => {
    const caller = await fixture.newCaller();
    const email = 'again@customer.example';
    const mails = () => fixture.testApp.emails.filter((mail) => JSON.stringify(mail).includes(email)).length;
    let calls = 0;
    // the SDK itself makes three of them
    fixture.testApp.mailing((mail) => (JSON.stringify(mail).includes(email) && ++calls <= 3 ? 'throttled' : 'taken'));
    await requestCode(caller, email);
    await fixture.testApp.drain({ retry: 'timed' });
    expect([calls, mails()]).toEqual([3, 0]);
    await withinFiveSeconds();
    fixture.testApp.mailing(undefined);
    expect([calls, mails()]).toEqual([4, 1]);
    await fixture.testApp.passTime(120);
    expect(mails()).toBe(1);
  });

  test('a code by WhatsApp whose first call did not leave is sent again within five seconds, once', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const messages = () => fixture.provider.requests.filter(({ body }) => body['to'] === phone).length;
    const { id } = await requestCode(caller, phone);
    let calls = 0;
    {
      using _network = onFetch((address, call) => {
        if (!address.startsWith(fixture.provider.url) || ++calls > 1) return call();
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
      });
      await fixture.testApp.drain({ retry: 'timed' });
      expect([calls, messages()]).toEqual([1, 0]);
      await withinFiveSeconds();
    }
    expect([calls, messages()]).toEqual([2, 1]);
    await fixture.testApp.passTime(120);
    expect([messages(), await statusOf(caller, id)]).toEqual([1, expect.objectContaining({ status: 'pending' })]);
  });

  mendedBy('a code by WhatsApp for which the table could not be read is sent by the next delivery, once', claimedBeforeItIsComposed, () =>
    isSentOnceThoughUnread('WhatsApp'),
  );
  mendedBy('a code by email for which the table could not be read is sent by the next delivery, once', claimedBeforeItIsRead, () =>
    isSentOnceThoughUnread('email'),
  );

  async function isSentOnceThoughUnread(channel: 'WhatsApp' | 'email'): Promise<void> {
    const caller = await fixture.newCaller();
    const to = channel === 'email' ? 'unread@customer.example' : fixture.newPhone();
    const sent = (): number =>
      fixture.provider.requests.filter(({ body }) => body['to'] === to).length +
      fixture.testApp.emails.filter((mail) => JSON.stringify(mail).includes(to)).length;
    await requestCode(caller, to);
    let refused = 0;
    {
      using _templates = fixture.testApp.onTable(({ command, input, when }) => {
        if (command !== 'Query' || when !== 'before' || !JSON.stringify(input).includes('#V#TEMPLATES')) return;
        // an error that the SDK does not repeat
        if (++refused === 1) throw tableError('AccessDeniedException');
      });
      await fixture.testApp.drain({ retry: false });
      expect(refused).toBeGreaterThan(0);
      await fixture.testApp.passTime(120);
    }
    expect(sent()).toBe(1);
  }

  mendedBy(
    'a claim that another worker took since is not released by the repetition of a release whose answer was lost',
    releasedByNumberOfSend,
    async () => {
      const caller = await fixture.newCaller();
      const phone = fixture.newPhone();
      const { id } = await requestCode(caller, phone);
      const command = { companyId: caller.company.id, requestId: id, send: 1, channel: 'whatsapp' } as const;
      const messages = (): number => fixture.provider.requests.filter(({ body }) => body['to'] === phone).length;
      let calls = 0;
      using _network = onFetch((address, call) => {
        if (!address.startsWith(fixture.provider.url) || ++calls > 1) return call();
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
      });
      let isReleased = false;
      using _answers = fixture.testApp.onTable(async ({ command: name, input, when }) => {
        // the claim comes before the call, the release after it
        if (isReleased || calls === 0 || name !== 'UpdateItem' || when !== 'after' || !JSON.stringify(input).includes('claimedSend'))
          return;
        isReleased = true;
        await sendCode(command, 1);
        throw tableError('TimeoutError');
      });
      await sendCode(command, 1).catch(() => undefined);
      await sendCode(command, 2).catch(() => undefined);
      await fixture.testApp.passTime(120);
      expect([isReleased, messages()]).toEqual([true, 1]);
    },
  );

  test('a throttled code is sent later, once', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    let refusals = 0;
    fixture.provider.answering(() => (++refusals === 1 ? { status: 429, body: { error: { code: 130429, message: 'slow' } } } : undefined));
    const { id } = await requestCode(caller, phone);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(60);
    fixture.provider.answering(undefined);
    expect(refusals).toBe(2);
    expect(await statusOf(caller, id)).toMatchObject({ status: 'pending' });
  });

  test('a failed status of the latest message fails the request; one of an earlier message, or another status, changes nothing', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const { id } = await requestCode(caller, phone);
    await fixture.testApp.drain();
    const first = String(fixture.provider.requests.findLast(({ body }) => body['to'] === phone)?.body['biz_opaque_callback_data']);
    fixture.testApp.clock.advance(30_000);
    await requestCode(caller, phone);
    await fixture.testApp.drain();
    const last = String(fixture.provider.requests.findLast(({ body }) => body['to'] === phone)?.body['biz_opaque_callback_data']);
    const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'authentication-international' };
    const report = async (reference: string, status: string) => {
      const post = statusPost(caller.company, { id: `wamid.${status}.${reference}`, status, biz_opaque_callback_data: reference, pricing });
      await fixture.testApp.call(post);
      await fixture.testApp.drain();
    };
    for (const status of ['sent', 'delivered']) await report(last, status);
    await report(first, 'failed');
    expect(await statusOf(caller, id)).toMatchObject({ status: 'pending' });
    await report(last, 'failed');
    expect(await statusOf(caller, id)).toMatchObject({ status: 'failed', reason: 'delivery_failed' });
    const items = await fixture.testApp.dump();
    expect(items.find((item) => item['id'] === id)).toMatchObject({
      pricing: { category: 'authentication_international', type: 'regular' },
    });
    expect(items.filter((item) => item['kind'] === 'parked-status')).toEqual([]);
    const [other] = [await fixture.newCaller()];
    await report(last, 'failed');
    const foreign = await requestCode(other, phone);
    await fixture.testApp.call(
      statusPost(caller.company, { id: 'w', status: 'failed', biz_opaque_callback_data: `sbv1:${other.company.id}:${foreign.id}:1` }),
    );
    await fixture.testApp.drain();
    expect(await statusOf(other, foreign.id)).toMatchObject({ status: 'pending' });
  });

  test('an ambiguous send is not repeated', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    fixture.provider.answering(() => ({ status: 502, body: 'no' }));
    const { id } = await requestCode(caller, phone);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(120);
    fixture.provider.answering(undefined);
    expect(fixture.provider.requests.filter(({ body }) => body['to'] === phone)).toHaveLength(1);
    expect(await statusOf(caller, id)).toMatchObject({ status: 'pending' });
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (caller: Caller, key: string) => ({ headers: { 'x-public-key': caller.publicKey, 'idempotency-key': key } });

  test('a repeated call returns the same response; after a failure in between it continues the same request, and the code is sent once', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    let failures = 0;
    const broken = fixture.testApp.onTable(({ command, input, when }) => {
      const isRequest = (input['Item'] as { kind?: string } | undefined)?.kind === requestEntityName;
      if (command === 'PutItem' && isRequest && when === 'after' && failures++ === 0) throw tableError('InternalServerError');
    });
    const first = await caller.post('/request', { identifier }, keyed(caller, 'sign-up-1'));
    broken[Symbol.dispose]();
    const second = await caller.post('/request', { identifier }, keyed(caller, 'sign-up-1'));
    const third = await caller.post('/request', { identifier }, keyed(caller, 'sign-up-1'));
    expect([second.status, third.raw]).toEqual([200, second.raw]);
    expect(third.headers['idempotent-replayed']).toBe('true');
    expect(first.status === 200 || first.status >= 500).toBe(true);
    await fixture.testApp.drain();
    expect(fixture.provider.requests.filter(({ body }) => body['to'] === identifier)).toHaveLength(1);
  });

  test('stores no trust key', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const { id } = await requestCode(caller, identifier);
    const trust_key = String(field(await caller.post('/verify', { request_id: id, code: await fixture.codeFor(identifier) }), 'trust_key'));
    for (let i = 0; i < 2; i++)
      expect((await caller.post('/request', { identifier, trust_key }, keyed(caller, 'again'))).body).toMatchObject({
        cached: true,
        trust_key,
      });
    expect(JSON.stringify(await fixture.testApp.dump()).includes(trust_key)).toBe(false);
  });

  test('an attempt is counted once, its response is replayed, and neither code nor trust key is readable in the table', async () => {
    const caller = await fixture.newCaller();
    const identifier = fixture.newPhone();
    const { id: request_id } = await requestCode(caller, identifier);
    const code = await fixture.codeFor(identifier);
    const tryCode = (given: string, key: string) => caller.post('/verify', { request_id, code: given }, keyed(caller, key));
    for (let i = 0; i < 2; i++) expect((await tryCode(wrongFor(code), 'wrong')).body).toMatchObject({ attempts_remaining: 4 });
    expect((await tryCode(code, 'wrong')).body).toMatchObject({ code: 'idempotency_key_reused' });
    const [right, again] = [await tryCode(code, 'right'), await tryCode(code, 'right')];
    expect([right.status, again.raw, again.headers['idempotent-replayed']]).toEqual([200, right.raw, 'true']);
    const table = await fixture.testApp.dump();
    expect(JSON.stringify(table).includes(String(field(right, 'trust_key')))).toBe(false);
    // an unkeyed hash would reveal the code to a brute-force search
    const hashed = canonical(['POST', '/api/v1/verification/verify', {}, {}, { code, request_id }]);
    expect(JSON.stringify(table).includes(createHash('sha256').update(hashed).digest('hex'))).toBe(false);
  });
});

describe('an inactive profile', () => {
  test('is shown by /config and refuses every other call, for keys and tokens, until it is active again', async () => {
    const caller = await fixture.newCaller();
    const { id } = await requestCode(caller, fixture.newPhone());
    unwrap(await setProfileStatus(caller.company.id, caller.profileId, 'inactive'));
    expect((await caller.get('/config')).body).toMatchObject({ status: 'inactive' });
    const bearer = { headers: { authorization: `Bearer ${caller.company.tokens.owner}` } };
    for (const more of [undefined, bearer]) {
      const refused = [
        await caller.post('/request', { identifier: fixture.newPhone() }, more),
        await caller.post('/verify', { request_id: id, code: '000000' }, more),
        await caller.get(`/status/${id}`, more),
        await caller.post('/resend', { request_id: id }, more),
      ];
      for (const answer of refused) expect(answer).toMatchObject({ status: 403, body: { code: 'profile_inactive' } });
    }
    unwrap(await setProfileStatus(caller.company.id, caller.profileId, 'active'));
    expect((await caller.get(`/status/${id}`)).status).toBe(200);
  });
});
