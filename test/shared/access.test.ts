import { afterAll, describe, expect, test } from 'vitest';
import { countAddressRequest, countCompanyRequest, authenticate } from '../../shared/access/credential.ts';
import { newToken } from '../../shared/access/token.ts';
import { countInWindow, staleWindowFields, windowEndSeconds, windowField } from '../../shared/access/window.ts';
import { limits } from '../../shared/contract/route.ts';
import { credential } from '../support/credentials.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp({ contexts: [] });
afterAll(() => testApp.stop());

/** To the beginning of a minute, so that a test's calls fall into one window. */
const toWindowStart = (): void => testApp.clock.moveTo(windowEndSeconds(testApp.clock.now()) * 1_000);

describe('checking a token', () => {
  test('is one conditional write that counts the call and says who calls', async () => {
    const token = await credential({ companyId: 3, role: 'member', scopes: ['contacts:read'] });
    const used = await testApp.meter(async () => {
      expect(await authenticate(['token'], token, 'read')).toMatchObject({
        ok: true,
        principal: { companyId: 3, role: 'member', scopes: ['contacts:read'] },
        rate: { limit: 1_200, remaining: 1_199 },
      });
    });
    expect(used).toMatchObject({ calls: 1, wru: 1, rru: 0 });
  });

  test('with a wrong checksum asks the table nothing', async () => {
    const used = await testApp.meter(() => authenticate(['token'], `${newToken('token').slice(0, -1)}!`, 'read'));
    expect(used.calls).toBe(0);
  });

  test('unknown, revoked, expired and suspended are told apart, at the cost of one call each', async () => {
    const cases = [
      [newToken('token'), 'token_invalid'],
      [await credential({ status: 'revoked' }), 'token_revoked'],
      [await credential({ expiresAt: testApp.clock.now() - 1 }), 'token_expired'],
      [await credential({ companyStatus: 'suspended' }), 'company_suspended'],
    ] as const;
    for (const [token, code] of cases) {
      const used = await testApp.meter(async () => {
        expect(await authenticate(['token'], token, 'read')).toMatchObject({ ok: false, problem: { problem: code } });
      });
      expect(used, code).toMatchObject({ calls: 1, wru: 1 });
    }
  });

  test('beyond the limit is refused until the minute ends, exactly, however many ask at once', async () => {
    toWindowStart();
    const token = await credential();
    const { perMinute } = limits.bulk;
    const checks = await Promise.all(Array.from({ length: perMinute + 15 }, () => authenticate(['token'], token, 'bulk')));
    expect(checks.filter((check) => check.ok)).toHaveLength(perMinute);
    const refused = checks.find((check) => !check.ok);
    expect(refused).toMatchObject({ problem: { problem: 'rate_limited', details: { limit: perMinute } }, rate: { remaining: 0 } });
    // the clock goes on by itself: a busy machine may need a while for the call
    testApp.clock.moveTo(windowEndSeconds(testApp.clock.now()) * 1_000 - 900);
    expect(await authenticate(['token'], token, 'bulk')).toMatchObject({ ok: false, problem: { retryAfterSeconds: 1 } });
    testApp.clock.advance(901);
    expect((await authenticate(['token'], token, 'bulk')).ok).toBe(true);
  });

  test('of one kind of limit does not use up another', async () => {
    toWindowStart();
    const token = await credential();
    await Promise.all(Array.from({ length: limits.bulk.perMinute }, () => authenticate(['token'], token, 'bulk')));
    expect((await authenticate(['token'], token, 'bulk')).ok).toBe(false);
    expect((await authenticate(['token'], token, 'read')).ok).toBe(true);
  });

  test('leaves no pile of old windows on the item, however long it is used', async () => {
    const token = await credential();
    for (let minute = 0; minute < 30; minute++) {
      testApp.clock.advance(minute % 7 === 0 ? 600_000 : 60_000);
      await authenticate(['token'], token, minute % 2 ? 'read' : 'write');
    }
    const items = await testApp.dump();
    for (const item of items) expect(Object.keys(item).filter((field) => field.startsWith('n:')).length).toBeLessThanOrEqual(12);
  });
});

describe('other counts', () => {
  test('an address without a token has its own count, exact under load', async () => {
    toWindowStart();
    const spent = await Promise.all(Array.from({ length: 70 }, () => countAddressRequest('203.0.113.9', 'public')));
    expect(spent.filter((each) => each.ok)).toHaveLength(limits.public.perMinute);
    expect((await countAddressRequest('203.0.113.10', 'public')).ok).toBe(true);
  });

  test("a company's count is shared by all its tokens and by nobody else", async () => {
    toWindowStart();
    expect((await countCompanyRequest(1, 'sends')).rate.remaining).toBe(2_999);
    expect((await countCompanyRequest(1, 'sends')).rate.remaining).toBe(2_998);
    expect((await countCompanyRequest(2, 'sends')).rate.remaining).toBe(2_999);
  });
});

describe('windows', () => {
  const at = Date.UTC(2026, 10, 21, 12, 0, 30);
  test('each minute has a field of its own and takes the two before away', () => {
    expect(windowField('read', at)).not.toBe(windowField('read', at + 60_000));
    expect(countInWindow('read', 5, at).change.remove).toEqual([windowField('read', at - 60_000), windowField('read', at - 120_000)]);
  });
  test('only fields long past are stale', () => {
    const item = {
      [windowField('read', at)]: 1,
      [windowField('read', at - 120_000)]: 1,
      [windowField('read', at - 180_000)]: 1,
      name: 'x',
    };
    expect(staleWindowFields(item, at)).toEqual([windowField('read', at - 180_000)]);
  });
});
