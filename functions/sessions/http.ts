import { isProblem } from '../../shared/contract/problems.ts';
import { cookieName, secretCookie, sessionCookie, sessionCookieName } from '../../shared/access/session.ts';
import type { Request } from '../../shared/contract/route.ts';
import { mapOk, ok, okDeleted } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { now } from '../../shared/runtime/clock.ts';
import { choiceLifeMs } from './domain.ts';
import { sessionRoutes } from './contract.ts';
import { createSignInCode } from './service/sign-in-codes.ts';
import { type Browser, createSession, deleteSession, listSessions, type SessionOutcome } from './service/sessions.ts';

export const handler = serve(sessionRoutes, {
  createSignInCode: async (request) =>
    mapOk(await createSignInCode(request.body.email, browserOf(request)), (record) =>
      ok(record, 'If this is the email address of a user, a code is on its way.'),
    ),
  createSession: async (request) => {
    const outcome = await createSession(request.body, browserOf(request));
    return isProblem(outcome) ? outcome : signedIn(browserOf(request), outcome);
  },
  listSessions: async ({ caller }) => ok(await listSessions(caller), 'Your sessions.'),
  deleteSession: async ({ caller, params, url }) =>
    mapOk(await deleteSession(caller, params.id), ({ isCurrent }) => ({
      ...okDeleted(params.id, 'The session was ended.'),
      ...(isCurrent ? { cookies: [sessionCookie(url, '', 0)] } : {}),
    })),
});

type Received = Pick<Request, 'method' | 'url' | 'operationId' | 'headers' | 'cookies' | 'sourceIp'>;

function browserOf({ method, url, operationId, headers, cookies, sourceIp }: Received): Browser {
  const call = { method, url, operationId, sourceIp, userAgent: headers['user-agent'] ?? '' };
  return { call, former: cookies[sessionCookieName(url)], choice: cookies[cookieName(choice, url)] };
}

const choice = 'swb_choice';
const choiceCookie = (url: string, value: string, maxAgeSeconds: number): string => secretCookie(choice, url, value, maxAgeSeconds);

/** The record as the body, the secret as a cookie. */
function signedIn({ call: { url }, choice: open }: Browser, outcome: SessionOutcome) {
  if (outcome.kind === 'choice')
    return {
      status: 202 as const,
      body: { status: 'success' as const, message: 'Choose a company.', data: outcome.choice },
      cookies: [choiceCookie(url, outcome.proof, choiceLifeMs / 1_000)],
    };
  const { record, secret, expiresAt } = outcome;
  return {
    ...ok(record, 'You are signed in.'),
    cookies: [sessionCookie(url, secret, (expiresAt - now()) / 1_000), ...(open === undefined ? [] : [choiceCookie(url, '', 0)])],
  };
}
