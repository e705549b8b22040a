import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StoredRequest } from '../../functions/verification/contract/stored.ts';
import { hashIdentifier } from '../../functions/verification/service/secrets.ts';
import { recordUndelivered } from '../../functions/verification/service/code-delivery.ts';
import { endRequest } from '../../functions/verification/service/end-request.ts';
import { claimSend, createRequest, getRequest, releaseSend, requestEntity } from '../../functions/verification/store/request.ts';
import { getRequestBudget, requestBudgetEntity } from '../../functions/verification/store/request-budget.ts';
import { prefixEntity } from '../../functions/verification/store/prefix.ts';
import { bucketField, prefixOf } from '../../functions/verification/domain/prefix.ts';
import { tableError } from '../support/sdk-hooks.ts';
import { type Caller, field, type Fixture, startFixture, wrongFor } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const request = async (caller: Caller, identifier: string): Promise<string> => {
  const answer = await caller.post('/request', { identifier });
  expect([answer.status, answer.raw]).toEqual([200, expect.any(String)]);
  return String(field(answer, 'request_id'));
};
const verify = (caller: Caller, request_id: string, code: string) => caller.post('/verify', { request_id, code });
const rowOf = async (caller: Caller, id: string): Promise<StoredRequest | undefined> =>
  getRequest(caller.company.id, id, { consistent: true });
const budgetOf = async (caller: Caller, phone: string) => {
  const identifierHash = await hashIdentifier(caller.profileId, { kind: 'phone', value: phone });
  return getRequestBudget({ companyId: caller.company.id, profileId: caller.profileId, identifierHash }, { consistent: true });
};
const eventsOf = (id: string) => fixture.testApp.events.filter(({ detail }) => JSON.stringify(detail).includes(id)).map(({ name }) => name);

/** As a version stored both before the budget had results and the latest request's sends. */
async function storeAsBefore(caller: Caller, phone: string, id: string): Promise<void> {
  await requestEntity.change({ companyId: caller.company.id, id }, { remove: ['isDecidedByBudget', 'requestedAt'] });
  const budget = await budgetOf(caller, phone);
  if (!budget) throw new Error('There is no budget.');
  const { createdAt = 0, expiresAt = 0 } = budget.last['default'] ?? {};
  await requestBudgetEntity.change(budget, { set: { last: { default: { id, createdAt, expiresAt } } }, remove: [`r:${id}`, `w:${id}`] });
}

describe('the result of a correct code', () => {
  test('holds from the write that counted it: for the status, the link, a resend and a new request, before its row has it', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const id = await request(caller, phone);
    const code = await fixture.codeFor(phone);
    expect((await verify(caller, id, code)).body).toMatchObject({ verified: true, trust_key: expect.stringMatching(/^tk_/) });
    expect((await rowOf(caller, id))?.status).toBe('pending');
    expect((await caller.get(`/status/${id}`)).body).toMatchObject({ status: 'verified', is_verified: true, identifier: phone });
    expect((await caller.post('/resend', { request_id: id })).body).toMatchObject({ code: 'already_verified' });
    // the same code again has the same answer; another one proves nothing, and each is counted
    expect((await verify(caller, id, code)).body).toMatchObject({ verified: true });
    expect((await verify(caller, id, wrongFor(code))).body).toMatchObject({ code: 'already_verified' });
    expect((await budgetOf(caller, phone))?.[`g:${id}`]).toBe(3);
    expect(await request(caller, phone)).not.toBe(id);
    await fixture.testApp.drain();
    expect(await rowOf(caller, id)).toMatchObject({ status: 'verified', via: 'code', attempts: 1, endedAt: expect.any(Number) });
    expect(eventsOf(id)).toEqual(['verification.requested', 'verification.successful']);
  });

  test('proves the trust key at once, also as the label of the next request', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const id = await request(caller, phone);
    const answer = await verify(caller, id, await fixture.codeFor(phone));
    const cached = await caller.post('/request', { identifier: phone, trust_key: String(field(answer, 'trust_key')) });
    expect(cached.body).toMatchObject({ cached: true, verified: true });
  });

  test('stands when its message is lost: the expiry writes it, and expires nothing', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const id = await request(caller, phone);
    await verify(caller, id, await fixture.codeFor(phone));
    fixture.testApp.clock.advance(600_000);
    await endRequest(caller.company.id, id);
    expect(await rowOf(caller, id)).toMatchObject({ status: 'verified', via: 'code' });
    await fixture.testApp.drain();
    expect(eventsOf(id)).toEqual(['verification.requested', 'verification.successful']);
  });

  test('is one of 40 at the same moment: all have the answer, and the attempts beyond the limit have none', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const id = await request(caller, phone);
    const code = await fixture.codeFor(phone);
    const answers = await Promise.all(Array.from({ length: 25 }, () => verify(caller, id, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    await fixture.testApp.drain();
    expect(eventsOf(id)).toEqual(['verification.requested', 'verification.successful']);
  });

  test('a code that could not be delivered ends its request, also after a resend that died before its row had it', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const id = await request(caller, phone);
    await fixture.testApp.drain();
    const budget = await budgetOf(caller, phone);
    const latest = budget?.last['default'];
    if (!budget || !latest) throw new Error('There is no budget.');
    await requestBudgetEntity.change(budget, { set: { last: { default: { ...latest, sends: 2 } }, rev: budget.rev + 1 } });
    await recordUndelivered({ companyId: caller.company.id, requestId: id, send: 1 });
    expect(await rowOf(caller, id)).toMatchObject({ status: 'failed', reason: 'delivery_failed' });
  });

  test('cannot come after another end: neither after the last wrong code nor after the expiry', async () => {
    const caller = await fixture.newCaller({ otp: { max_attempts: 3 } });
    const phone = fixture.newPhone();
    const id = await request(caller, phone);
    const code = await fixture.codeFor(phone);
    for (let i = 0; i < 3; i++) await verify(caller, id, wrongFor(code));
    expect((await verify(caller, id, code)).body).toMatchObject({ code: 'too_many_attempts' });
    const other = fixture.newPhone();
    const late = await request(caller, other);
    const right = await fixture.codeFor(other);
    fixture.testApp.clock.advance(600_000);
    await endRequest(caller.company.id, late);
    expect((await verify(caller, late, right)).body).toMatchObject({ code: 'expired' });
    await fixture.testApp.drain();
    expect(eventsOf(late)).toEqual(['verification.requested', 'verification.failed']);
  });
});

describe('a request that two calls begin at once', () => {
  test('is one: one id, one event, one code, and no row of the call that came second', async () => {
    const caller = await fixture.newCaller();
    for (let round = 0; round < 3; round++) {
      const phone = fixture.newPhone();
      const ids = new Set(await Promise.all(Array.from({ length: 4 }, () => request(caller, phone))));
      expect(ids.size).toBe(1);
      const [id = ''] = ids;
      await fixture.testApp.drain();
      const rows = (await fixture.testApp.dump()).filter(
        ({ kind, prefix }) => kind === 'verification-request' && prefix === prefixOf(phone),
      );
      expect(rows.map((row) => row['id'])).toEqual([id]);
      expect(eventsOf(id)).toEqual(['verification.requested']);
    }
  });

  test('of which only the row was written has no code and no event, and goes when it would have expired', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const row = await rowOf(caller, await request(caller, phone));
    if (!row) throw new Error('There is no row.');
    await fixture.testApp.drain();
    const sent = fixture.provider.requests.length;
    const orphan = { ...row, id: randomUUID(), claimedSend: 0 };
    await createRequest(orphan);
    await fixture.testApp.drain();
    await fixture.testApp.passTime(10);
    expect(fixture.provider.requests).toHaveLength(sent);
    fixture.testApp.clock.advance(2 * 3_600_000);
    await endRequest(caller.company.id, orphan.id);
    expect(await rowOf(caller, orphan.id)).toBeUndefined();
    await fixture.testApp.drain();
    expect(eventsOf(orphan.id)).toEqual([]);
  });
});

describe('items of a former version', () => {
  test('a pending request is verified, and its budget has no result of it', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const id = await request(caller, phone);
    const code = await fixture.codeFor(phone);
    await storeAsBefore(caller, phone, id);
    expect((await verify(caller, id, wrongFor(code))).body).toMatchObject({ verified: false });
    expect((await verify(caller, id, code)).body).toMatchObject({ verified: true });
    expect((await rowOf(caller, id))?.status).toBe('verified');
    await fixture.testApp.drain();
    expect(eventsOf(id)).toEqual(['verification.requested', 'verification.successful']);
  });

  test('a pending request is reused and expires, and a verified one is trusted', async () => {
    const caller = await fixture.newCaller();
    const [pending, verified] = [fixture.newPhone(), fixture.newPhone()];
    const [first, proven] = [await request(caller, pending), await request(caller, verified)];
    const code = await fixture.codeFor(verified);
    await Promise.all([storeAsBefore(caller, pending, first), storeAsBefore(caller, verified, proven)]);
    expect(await request(caller, pending)).toBe(first);
    const key = String(field(await verify(caller, proven, code), 'trust_key'));
    expect(await request(caller, verified)).not.toBe(proven);
    expect((await caller.post('/request', { identifier: verified, trust_key: key })).body).toMatchObject({ cached: true });
    fixture.testApp.clock.advance(2 * 3_600_000);
    await endRequest(caller.company.id, first);
    expect((await rowOf(caller, first))?.status).toBe('expired');
  });

  test('the counts and the block of a prefix go on', async () => {
    const caller = await fixture.newCaller();
    const phone = fixture.newPhone();
    const at = fixture.testApp.clock.now();
    const id = { companyId: caller.company.id, profileId: caller.profileId, prefix: prefixOf(phone) };
    const until = Math.floor(at / 1_000) + 7_200;
    await prefixEntity.change(id, { set: { ...id, kind: prefixEntity.name, until, [bucketField(at)]: 28 } });
    await request(caller, phone);
    await fixture.testApp.drain();
    expect((await prefixEntity.get(id, { consistent: true }))?.[bucketField(at)]).toBe(29);
    // the second number of a source
    const next = phone.replace(/.$/, '9');
    expect((await caller.post('/request', { identifier: next })).body).toMatchObject({ code: 'fraud_blocked' });
  });
});

test('a message that did not leave gives its claim back, but never the claim of a later message with the same code', async () => {
  const caller = await fixture.newCaller();
  const id = await request(caller, fixture.newPhone());
  const { id: companyId } = caller.company;
  const at = fixture.testApp.clock.now();
  const claims = [await claimSend(companyId, id, 1, at), await claimSend(companyId, id, 2, at)];
  const [first, second] = claims.flatMap((claim) => (claim.done ? [claim.item] : []));
  if (!first || !second) throw new Error('A claim was refused.');
  expect(await releaseSend(first)).toBe(false);
  expect(await rowOf(caller, id)).toMatchObject({ claimedSend: 2 });
  expect(await releaseSend(second)).toBe(true);
  expect((await claimSend(companyId, id, 2, at)).done).toBe(true);
});

test('two sends of a request that wait together go one after another: the second claims when the first has left, though its answer was lost', async () => {
  const caller = await fixture.newCaller({ otp: { resend_cooldown_seconds: 1 } });
  const phone = fixture.newPhone();
  const id = await request(caller, phone);
  fixture.testApp.clock.advance(1_500);
  expect((await caller.post('/resend', { request_id: id })).status).toBe(200);
  const steps: string[] = [];
  using _claims = fixture.testApp.onTable(({ command, input, when }) => {
    if (command !== 'UpdateItem' || when !== 'after' || !JSON.stringify(input).includes('claimedSend')) return;
    steps.push('claimed');
    if (steps.length === 1) throw tableError('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } });
  });
  fixture.provider.answering(() => void steps.push('sent'));
  await fixture.testApp.drain();
  fixture.provider.answering(undefined);
  // the repeated claim is refused, and known as its own
  expect(steps).toEqual(['claimed', 'sent', 'claimed', 'sent']);
  expect(await rowOf(caller, id)).toMatchObject({ claimedSend: 2, sends: 2 });
});
