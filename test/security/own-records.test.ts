import { afterAll, beforeAll, expect } from 'vitest';
import * as z from 'zod';
import { signInCompanyId, signInProfile } from '../../functions/account/service/stored-profiles.ts';
import { startSession } from '../../functions/account/service/sessions.ts';
import { createUser } from '../../functions/account/service/users.ts';
import { getMediaLink } from '../../functions/media/service/media-links.ts';
import { openBrowser } from '../../functions/sessions/service/known-browser.ts';
import { requestVerification } from '../../functions/verification/service/request-verification.ts';
import { verifyCode } from '../../functions/verification/service/verify-code.ts';
import { attack } from '../support/attack.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { ofOwnPage, withSession } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What is a user's own, and what a customer sent: neither is shown or used beyond what it is for. */
let testApp: TestApp;
let company: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp({ env: { EMAIL_FROM: 'no-reply@example.com' } });
  company = await newCompany({ roles: ['owner', 'member'] });
});
afterAll(() => testApp.stop());

attack(
  'the sessions of a user are listed to no colleague, an owner neither',
  [
    {
      in: 'functions/account/service/sessions.ts',
      replace: 'filter((pointer) => pointer.userId === userId && isUsableNow(pointer))',
      by: 'filter((pointer) => isUsableNow(pointer))',
    },
  ],
  async () => {
    const sessionOf = (userId: number, name: string) =>
      startSession({ companyId: company.id, userId, name, signedInBy: 'email_code' }).then(unwrap);
    await sessionOf(company.users.member, 'The laptop of the member');
    const { secret } = await sessionOf(company.users.owner, 'The laptop of the owner');
    const listed = await testApp.call(withSession({ method: 'GET', path: '/api/v1/sessions' }, secret));
    expect((listed.body as { data: { device: string }[] }).data.map(({ device }) => device)).toEqual(['The laptop of the owner']);
  },
);

attack(
  'a file that a customer sent is a download, so that no page of it runs at the address of files',
  [{ in: 'functions/media/service/media-links.ts', replace: ', asDownload: true', by: '' }],
  async () => {
    const link = await getMediaLink({ kind: 'document', key: `C${company.id}/media/1`, mime: 'text/html', filename: 'page.html' });
    expect(new URL(link ?? '').searchParams.get('response-content-disposition')).toBe('attachment');
  },
);

attack(
  'the trust key of a sign-in proves nothing: the next one needs a code again, in the same browser',
  [{ in: 'functions/account/service/stored-profiles.ts', replace: 'trust: { ttl_days: 0 },', by: '' }],
  async () => {
    const email = 'kim.of.trust@example.com';
    unwrap(await createUser(company.id, { name: 'Kim', email, role: 'member' }));
    const call = { method: 'POST', path: '/api/v1/sessions/codes', headers: ofOwnPage, body: { email }, sourceIp: '198.18.77.1' };
    const requested = await testApp.call(call);
    await testApp.drain();
    const code = /(\d{6,10}) is your verification code/.exec(JSON.stringify(testApp.emails.at(-1)))?.[1] ?? '';
    const cookie = /__Host-swb_browser=([^;]*)/.exec(requested.headers['set-cookie'] ?? '')?.[1];
    const { key: browserKey } = await openBrowser(cookie);
    const { request_id } = (requested.body as { data: { request_id: string } }).data;
    const caller = {
      companyId: signInCompanyId,
      userId: 0,
      credentialId: 0,
      credentialKind: 'public_key' as const,
      role: 'viewer' as const,
      scopes: [],
      subject: signInProfile.id,
      subjectStatus: 'active' as const,
      isTest: false,
    };
    const context = {
      caller,
      method: 'POST',
      url: call.path,
      operationId: 'op',
      sourceIp: call.sourceIp,
      headers: {},
      rawBody: Buffer.alloc(0),
    };
    const verified = await verifyCode(context, { request_id, code, browserKey });
    const { trust_key } = z.object({ body: z.object({ verified: z.literal(true), trust_key: z.string() }) }).parse(verified).body;
    testApp.clock.advance(60_000);
    const input = { identifier: email, channel: 'email' as const, purpose: 'sign-in', trust_key };
    const again = await requestVerification({ ...context, operationId: 'again' }, input, { key: browserKey, isKnown: true });
    expect(again).toMatchObject({ kind: 'pending' });
  },
);
