import { isProblem } from '../../../shared/contract/problems.ts';
import { sessionCookie } from '../../../shared/access/session.ts';
import type { Operations } from '../../../shared/contract/route.ts';
import { mapOk, ok, okDeleted } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { choiceLifeMs } from '../domain/session.ts';
import { sessionRoutes } from '../contract/session.ts';
import { getDoorbell } from '../service/doorbell.ts';
import { createSignInCode } from '../service/sign-in-codes.ts';
import { createSession, deleteSession, listSessions, type SessionOutcome } from '../service/sessions.ts';
import { signOutEverywhere } from '../service/sign-out-everywhere.ts';
import type { Browser } from '../service/start-session.ts';
import { browserOf, choiceCookie, knownBrowserCookie, ownCallsIn } from './browser.ts';

const operations: Operations<typeof sessionRoutes> = {
  createSignInCode: async (request) =>
    mapOk(await createSignInCode(request.body.email, browserOf(request)), ({ record, known }) => ({
      ...ok(record, 'If this is the email address of a user, a code is on its way.'),
      cookies: [knownBrowserCookie(request.url, known)],
    })),
  createSession: async (request) => {
    const outcome = await createSession(request.body, browserOf(request));
    return isProblem(outcome) ? outcome : signedIn(browserOf(request), outcome);
  },
  listSessions: async ({ caller }) => ok(await listSessions(caller), 'Your sessions.'),
  getDoorbell: async ({ caller }) => ok(await getDoorbell(caller), 'The doorbell of the company.'),
  deleteSession: async ({ caller, params, url }) =>
    mapOk(await deleteSession(caller, params.id), ({ isCurrent }) => ({
      ...okDeleted(params.id, 'The session was ended.'),
      ...(isCurrent ? { cookies: [sessionCookie(url, '', 0)] } : {}),
    })),
  signOutEverywhere: async ({ caller, body, url }) => ({
    ...ok(await signOutEverywhere(caller, body), 'You are signed out everywhere.'),
    cookies: [sessionCookie(url, '', 0)],
  }),
};
export const handler = serve(sessionRoutes, operations, { ownCalls: ownCallsIn('createSession') });

/** The record as the body, the secret as a cookie. */
function signedIn({ call: { url }, choice: open }: Browser, outcome: SessionOutcome) {
  if (outcome.kind === 'choice')
    return {
      status: 202 as const,
      body: { status: 'success' as const, message: 'Choose a company.', data: outcome.choice },
      cookies: [choiceCookie(url, outcome.proof, choiceLifeMs / 1_000)],
    };
  const { record, secret, expiresAt, known } = outcome;
  return {
    ...ok(record, 'You are signed in.'),
    cookies: [
      sessionCookie(url, secret, (expiresAt - now()) / 1_000),
      ...(open === undefined ? [] : [choiceCookie(url, '', 0)]),
      ...(known === undefined ? [] : [knownBrowserCookie(url, known)]),
    ],
  };
}
