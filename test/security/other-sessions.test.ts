import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes, codeOf, type ContractFixture, rowsOf, startFixture } from '../contract/fixture.ts';
import { attack } from '../support/attack.ts';
import { credential } from '../support/credentials.ts';
import { type Call, withSession } from '../support/gateway-event.ts';

/** One browser has one session cookie, and its tabs may show another company or user: what such a tab sends reaches nothing. */
let fixture: ContractFixture;
let secret: string;
let own: string;
beforeAll(async () => {
  fixture = await startFixture();
  const { company } = fixture;
  secret = await credential({ kind: 'session', companyId: company.id, userId: company.users.owner });
  own = `${company.id}:${company.users.owner}`;
});
afterAll(() => fixture[Symbol.asyncDispose]());

const pageOf = (call: Call, session: string): Call => {
  const { authorization: _none, 'x-public-key': _key, 'x-secret-key': _secret, ...headers } = call.headers ?? {};
  return withSession({ ...call, headers: { ...headers, 'x-session': session } }, secret);
};
const takesSessions = allRoutes.filter(({ route: { caller } }) => caller.kind === 'token' || caller.kind === 'public_key');

describe.each(rowsOf(takesSessions))('%s', (_title, named) => {
  test('of a page of another company or user is 409 other_session, costs the check of the session, and does nothing', async () => {
    const { company, other, testApp } = fixture;
    const call = await fixture.callToRefuse(named);
    for (const session of [`${other.id}:${company.users.owner}`, `${company.id}:${company.users.viewer}`]) {
      const used = await testApp.meter(async () => {
        const answer = await fixture.call(named, pageOf(call, session));
        expect([answer.status, codeOf(answer)]).toEqual([409, 'other_session']);
      });
      // the first call of a minute writes twice, and a lease of the address counts twenty calls of it at once
      expect(used).toMatchObject({ wru: expect.toBeOneOf(named.route.addressLimit ? [1, 2, 3] : [1, 2]), rru: 0 });
    }
  });
});

const tag = (name: string): Call => ({ method: 'POST', path: '/api/v1/tags', body: { name } });

attack(
  'a tab of one company writes nothing into another that a second tab signed in to',
  [
    { in: 'shared/http/caller.ts', replace: 'if (session !== undefined) refuseOtherSession(event, principal);', by: '' },
    { in: 'shared/access/session.ts', replace: 'header !== `${companyId}:${userId}`', by: 'header.split(":")[0] !== `${companyId}`' },
  ],
  async () => {
    const { company, testApp } = fixture;
    const refused = [
      '',
      '1',
      own.replace(':', ' '),
      `${own} `,
      `${own}0`,
      `0${own}`,
      `${company.id}:`,
      `${company.id}:${company.users.admin}`,
    ];
    for (const session of refused) {
      const answer = await testApp.call(pageOf(tag('other'), session));
      expect([answer.status, codeOf(answer)], JSON.stringify(session)).toEqual([409, 'other_session']);
    }
    const listed = await testApp.call(pageOf({ method: 'GET', path: '/api/v1/tags' }, own));
    expect(listed.raw).not.toContain('other');
    expect((await testApp.call(pageOf(tag('own'), own))).status).toBe(200);
  },
);

test('a call by a token, or of a page that names no session, is answered whatever the header says', async () => {
  const { company, testApp } = fixture;
  const byToken = await testApp.call({ ...tag('token'), token: company.tokens.owner, headers: { 'x-session': '999:999' } });
  expect(byToken.status).toBe(200);
  expect((await testApp.call(withSession(tag('unnamed'), secret))).status).toBe(200);
});
