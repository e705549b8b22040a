import { isProblem } from '../../../shared/contract/problems.ts';
import type { Operations, Request } from '../../../shared/contract/route.ts';
import { sessionCookie } from '../../../shared/access/session.ts';
import { mapOk, ok, okDeleted } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { passkeyRoutes } from '../contract/passkey.ts';
import { type RelyingParty, relyingPartyOf } from '../domain/relying-party.ts';
import {
  createPasskey,
  createPasskeyOptions,
  createPasskeySignIn,
  deletePasskey,
  listPasskeys,
  signInWithPasskey,
} from '../service/passkeys.ts';
import { openBrowser, sealBegun } from '../service/known-browser.ts';
import { browserOf, knownBrowserCookie, ownCallsIn } from './browser.ts';

const operations: Operations<typeof passkeyRoutes> = {
  createPasskeyOptions: async (request) =>
    mapOk(await createPasskeyOptions(request.caller, partyOf(request)), (options) => ok(options, 'Make a passkey with these options.')),
  createPasskey: async (request) =>
    mapOk(await createPasskey(request.caller, request.body, partyOf(request), request.headers['user-agent'] ?? ''), (record) =>
      ok(record, 'The passkey was added.'),
    ),
  listPasskeys: async ({ caller }) => ok(await listPasskeys(caller), 'Your passkeys.'),
  deletePasskey: async ({ caller, params }) =>
    mapOk(await deletePasskey(caller, params.id), ({ id }) => okDeleted(id, 'The passkey was removed.')),
  createPasskeySignIn: async (request) => ({
    ...ok(await createPasskeySignIn(partyOf(request)), 'Sign with a passkey.'),
    cookies: [knownBrowserCookie(request.url, await sealBegun(await openBrowser(browserOf(request).known)))],
  }),
  signInWithPasskey: async (request) => {
    const outcome = await signInWithPasskey(request.body.credential, partyOf(request), browserOf(request));
    if (isProblem(outcome)) return outcome;
    const { record, secret, expiresAt } = outcome;
    return { ...ok(record, 'You are signed in.'), cookies: [sessionCookie(request.url, secret, (expiresAt - now()) / 1_000)] };
  },
};
export const handler = serve(passkeyRoutes, operations, { ownCalls: ownCallsIn('signInWithPasskey') });

const partyOf = ({ headers, url }: Pick<Request, 'headers' | 'url'>): RelyingParty => relyingPartyOf(headers, url);
