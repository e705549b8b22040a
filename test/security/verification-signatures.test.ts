import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import {
  createWhitelistEntry,
  listWhitelistEntries,
  maxWhitelistEntries,
  whitelistEntryId,
} from '../../functions/verification/store/whitelist.ts';
import { attack } from '../support/attack.ts';
import { inboundText, newCompany, unwrap } from '../support/company.ts';
import { adminOf, type Caller, field, type Fixture, startFixture } from '../verification/fixture.ts';

/** What a signature says, and what nothing says without one. */
let fixture: Fixture;
let caller: Caller;
beforeAll(async () => {
  fixture = await startFixture();
  caller = await fixture.newCaller();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const V = 'functions/verification/';

attack(
  'a captured signed call is posted again, also in another spelling of its signature or at the other path',
  [
    {
      in: `${V}service/caller.ts`,
      replace: 'sendsCode(path) ? await refuseReplay(call, signature) : undefined',
      by: 'sendsCode(path) && refuseReplay === undefined ? undefined : undefined',
    },
    {
      in: `${V}service/caller.ts`,
      replace: "sha256(signatureBytes(signature).toString('hex'))",
      by: "sha256(signature + (signatureBytes(signature) ? '' : ''))",
    },
  ],
  async () => {
    const signed = (identifier: string, more: Record<string, string> = {}, path = '/api/v1/verification/request') => {
      const body = JSON.stringify({ identifier });
      const timestamp = String(Math.floor(fixture.testApp.clock.now() / 1_000));
      const signature = createHmac('sha256', caller.secretKey)
        .update(`${timestamp}.POST./api/v1/verification/request.${body}`)
        .digest('base64');
      const call = (headers: Record<string, string> = {}, at = path) =>
        fixture.testApp.call({
          method: 'POST',
          path: at,
          body,
          headers: {
            'x-public-key': caller.publicKey,
            'content-type': 'application/json',
            'x-timestamp': timestamp,
            'x-signature': signature,
            ...more,
            ...headers,
          },
        });
      return { call, signature };
    };
    const { call, signature } = signed(fixture.newPhone());
    expect((await call()).status).toBe(200);
    for (const again of [
      call(),
      call({ 'x-signature': signature.replaceAll('=', '') }),
      call({ 'x-signature': signature.replaceAll('+', '-').replaceAll('/', '_') }),
      call({}, '/v1/verification/request'),
    ])
      expect(await again).toMatchObject({ status: 401, body: { code: 'invalid_signature' } });
    // a retry of the same operation is answered again
    const keyed = signed(fixture.newPhone(), { 'idempotency-key': 'sign-up-77' });
    const [first, second] = [await keyed.call(), await keyed.call()];
    expect([first.status, second.raw, second.headers['idempotent-replayed']]).toEqual([200, first.raw, 'true']);
  },
);

attack(
  'an unsigned post verifies by one click',
  [
    { in: 'functions/messaging/service/receive-webhook.ts', replace: 'numbers.secrets.length === 0', by: 'numbers.secrets.length < 0' },
    { in: 'functions/messaging/service/inbound-text.ts', replace: ' || message.isUnsigned', by: '' },
  ],
  async () => {
    for (const appSecret of [null, 'the-secret-of-the-app']) {
      const company = await newCompany({ appSecret });
      const profile = unwrap(await createProfile(company.id, { name: 'Sign-in' }));
      const headers = { 'x-public-key': unwrap(await issueKey(company.id, profile.id, {})).public_key };
      const phone = fixture.newPhone();
      const body = { identifier: phone, silent: true };
      const answer = await fixture.testApp.call({ method: 'POST', path: '/api/v1/verification/request', headers, body });
      const reference = /text=Verify%20([A-Z0-9]{10})/.exec(answer.raw)?.[1];
      await fixture.testApp.call(inboundText(company, { from: phone.slice(1), text: `Verify ${reference}` }));
      await fixture.testApp.drain();
      const status = await fixture.testApp.call({
        method: 'GET',
        path: `/api/v1/verification/status/${String(field(answer, 'request_id'))}`,
        headers,
      });
      expect([appSecret, status.body]).toEqual([appSecret, expect.objectContaining({ is_verified: appSecret !== null })]);
    }
  },
);

attack(
  'an unsigned post verifies the work number of a member of staff',
  [{ in: 'functions/crm/service/confirm-work-number.ts', replace: '!message || message.isUnsigned', by: '!message' }],
  async () => {
    for (const appSecret of [null, 'the-secret-of-the-app']) {
      const company = await newCompany({ appSecret });
      const phone = fixture.newPhone();
      const path = '/api/v1/crm/automation/preferences';
      const token = company.tokens.owner;
      const answer = await fixture.testApp.call({
        method: 'PUT',
        path,
        token,
        body: { work_number: phone, opted_in: true, notify_tasks: true },
      });
      const code = /"code":"(\d{8})"/.exec(answer.raw)?.[1];
      expect([answer.status, code]).toEqual([200, expect.any(String)]);
      await fixture.testApp.call(inboundText(company, { from: phone.slice(1), text: String(code) }));
      await fixture.testApp.drain();
      const shown = await fixture.testApp.call({ method: 'GET', path, token });
      expect([appSecret, /"verified_at":"/.test(shown.raw)]).toEqual([appSecret, appSecret !== null]);
    }
  },
);

attack(
  'whitelist entries that are created at the same time exceed the limit',
  [
    {
      in: `${V}service/admin/whitelists.ts`,
      replace: 'entries.length <= maxWhitelistEntries',
      by: 'entries.length <= 10 * maxWhitelistEntries',
    },
  ],
  async () => {
    const { company, profileId } = caller;
    await Promise.all(
      Array.from({ length: maxWhitelistEntries - 2 }, (_, nth) =>
        createWhitelistEntry({
          companyId: company.id,
          profileId,
          id: whitelistEntryId(profileId, crypto.randomUUID()),
          valueKind: 'ip',
          value: `198.18.${Math.floor(nth / 250)}.${nth % 250}`,
          createdAt: 1,
        }),
      ),
    );
    const admin = adminOf(fixture, caller);
    const add = (nth: number) => admin('POST', '/whitelists', { profile_id: profileId, kind: 'ip', value: `203.0.113.${nth}` });
    // each counts before any of them writes
    const { promise: allCounted, resolve } = Promise.withResolvers<void>();
    let counted = 0;
    using _barrier = fixture.testApp.onTable(({ command, input, when }) => {
      if (command !== 'PutItem' || when !== 'before' || !JSON.stringify(input).includes('203.0.113.')) return undefined;
      if (++counted === 8) resolve();
      return allCounted;
    });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, nth) => add(nth)));
    expect((await listWhitelistEntries(company.id, profileId)).length).toBeLessThanOrEqual(maxWhitelistEntries);
    expect(answers.filter(({ status }) => status === 409).length).toBeGreaterThanOrEqual(6);
  },
);
