import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { issueWebhookToken, revokeMachineCredential, setSharedSecret } from '../../functions/account/service/machine-tokens.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { windowEndSeconds, windowField } from '../../shared/access/window.ts';
import { type LimitClass, limits } from '../../shared/contract/route.ts';
import { newCompany, providerPost, unwrap } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import { startTestApp } from '../support/test-app.ts';
import { problemOf } from '../shop/support.ts';

/** Receivers: what a post costs, and what holds back posts that no one signed. */
const testApp = await startTestApp();
afterAll(() => testApp.stop());

const secret = 'the secret of a test receiver';
const signedPost = (token: string, body: unknown, receiver = 'storeplatform', key = secret): Call => {
  const raw = JSON.stringify(body);
  return {
    method: 'POST',
    path: `/shop/webhooks/${receiver}/${token}`,
    body: raw,
    headers: { 'x-webhook-signature': createHmac('sha256', key).update(raw).digest('hex'), 'x-webhook-topic': 'unknown/topic' },
  };
};
const receiver = async (name: 'storeplatform' | 'test', signed = true) => {
  const { id } = await newCompany();
  const { secret: token, token: record } = unwrap(
    await issueWebhookToken(id, { receiver: name, ...(signed ? { shared_secret: secret } : {}) }),
  );
  return { companyId: id, token, id: record.id };
};
/** The statuses of calls one after another, each counted. */
const statusesOf = async (calls: number, make: (index: number) => Call): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (let index = 0; index < calls; index++) {
    const { status } = await testApp.call(make(index));
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
};

/** At the beginning of a minute, with so many posts of it spent. */
const spend = async (token: string, limit: LimitClass, posts: number): Promise<void> => {
  testApp.clock.moveTo(windowEndSeconds(testApp.clock.now()) * 1_000);
  await credentialEntity.change({ hash: tokenHash(token) }, { set: { [windowField(limit, testApp.clock.now())]: posts } });
};

describe('a signed post has no limit by the minute', () => {
  test('240 signed posts of the provider a second: none is refused, and the table is asked next to nothing', async () => {
    const company = await newCompany();
    const seconds = 6;
    const used = await testApp.meter(async () => {
      for (let second = 0; second < seconds; second++) {
        const posts = Array.from({ length: 240 }, (_, index) => providerPost(company, { entry: [], index: second * 240 + index }));
        for (const answer of await Promise.all(posts.map((post) => testApp.call(post)))) expect(answer.status).toBe(200);
        testApp.clock.advance(1_000);
      }
    });
    // one reading of the receiver and of its numbers in ten seconds, and its last use in an hour
    expect([used.calls, used.wru]).toEqual([3, 1]);
    testApp.clock.advance(10_000);
    const again = await testApp.meter(() => testApp.call(providerPost(company, { entry: [] })));
    expect([again.calls, again.wru]).toEqual([2, 0]);
  });

  test('signed posts of a store platform pass while the limit of unsigned ones is spent', async () => {
    const { token } = await receiver('storeplatform');
    await spend(token, 'receiver', limits.receiver.perMinute);
    expect(await statusesOf(20, (index) => signedPost(token, { index }))).toEqual({ 200: 20 });
  });
});

describe('posts without a valid signature keep their limit', () => {
  test('the last two of 1,200 posts with a wrong signature are 401, the next ones 429', async () => {
    const { token } = await receiver('storeplatform');
    await spend(token, 'receiver', limits.receiver.perMinute - 2);
    const counts = await statusesOf(5, (index) => signedPost(token, { index }, 'storeplatform', 'a wrong secret'));
    expect(counts).toEqual({ 401: 2, 429: 3 });
  });

  test('unsigned posts to a receiver without a secret are counted as well', async () => {
    const { token } = await receiver('storeplatform', false);
    await spend(token, 'receiver', limits.receiver.perMinute - 2);
    expect(await statusesOf(5, (index) => signedPost(token, { index }))).toEqual({ 200: 2, 429: 3 });
  });

  test('the test receiver takes 60 calls a minute, signed or not', async () => {
    const { token } = await receiver('test');
    await spend(token, 'test_receiver', limits.test_receiver.perMinute - 2);
    expect(await statusesOf(5, (index) => signedPost(token, { index }, 'test'))).toEqual({ 200: 2, 429: 3 });
  });
});

describe('what is cached', () => {
  test('a revoked receiver is refused after ten seconds', async () => {
    const { companyId, token, id } = await receiver('storeplatform');
    expect((await testApp.call(signedPost(token, {}))).status).toBe(200);
    unwrap(await revokeMachineCredential(companyId, 'webhook_token', id));
    testApp.clock.advance(10_000);
    expect(problemOf(await testApp.call(signedPost(token, {})))).toEqual([401, 'invalid_webhook_token']);
  });

  test('a new secret is valid at once, the one before for ten seconds at most', async () => {
    const { companyId, token, id } = await receiver('storeplatform');
    expect((await testApp.call(signedPost(token, {}))).status).toBe(200);
    unwrap(await setSharedSecret(companyId, 'webhook_token', id, 'another secret of a test receiver'));
    expect((await testApp.call(signedPost(token, {}, 'storeplatform', 'another secret of a test receiver'))).status).toBe(200);
    testApp.clock.advance(10_000);
    expect(problemOf(await testApp.call(signedPost(token, {})))).toEqual([401, 'invalid_signature']);
  });

  test('a receiver that gets a secret refuses unsigned posts at once', async () => {
    const { companyId, token, id } = await receiver('storeplatform', false);
    const unsigned: Call = { method: 'POST', path: `/shop/webhooks/storeplatform/${token}`, body: '{}' };
    expect((await testApp.call(unsigned)).status).toBe(200);
    unwrap(await setSharedSecret(companyId, 'webhook_token', id, secret));
    expect(problemOf(await testApp.call(unsigned))).toEqual([401, 'invalid_signature']);
  });
});
