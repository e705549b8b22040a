import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { startedSession } from './session.ts';

export const passkeyRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the passkey.' }),
    name: z.string().meta({ description: 'The name that its user gave it, or the browser that made it.' }),
    created_at: timestamp,
    last_used_at: timestamp.nullable().meta({ description: 'When it last signed in.' }),
  })
  .meta({ id: 'Passkey', description: 'A key in a device of a user, to sign in with.' });
export type PasskeyRecord = z.output<typeof passkeyRecord>;

/** What `navigator.credentials` takes: its form is the browser's, https://www.w3.org/TR/webauthn-3/ */
const passkeyOptions = z
  .object({
    public_key: z
      .record(z.string(), z.unknown())
      .meta({ description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.' }),
    expires_at: timestamp.meta({ description: 'Until when the answer of the device is taken, once.' }),
  })
  .meta({ id: 'PasskeyOptions', description: 'A challenge for a device.' });
export type PasskeyOptions = z.output<typeof passkeyOptions>;

const base64url = (maxLength: number, description: string) =>
  text(maxLength, 1)
    .regex(/^[A-Za-z0-9_-]+$/, { error: 'Must be base64url.' })
    .meta({ description: `${description}, base64url.` });

const maxCredentialIdChars = 1_364;

const attested = z
  .looseObject(
    {
      id: base64url(maxCredentialIdChars, 'Its id'),
      response: z
        .looseObject(
          { clientDataJSON: base64url(8_000, 'Challenge and origin'), attestationObject: base64url(64_000, 'The public key') },
          { error: 'Must have clientDataJSON and attestationObject.' },
        )
        .meta({ description: 'What the device made.' }),
    },
    { error: 'Must be the credential that the browser made, as its toJSON() gives it.' },
  )
  .meta({ description: 'The result of `navigator.credentials.create`, as its `toJSON()` gives it.' });
export type AttestedCredential = z.output<typeof attested>;

const asserted = z
  .looseObject(
    {
      id: base64url(maxCredentialIdChars, 'Its id'),
      response: z
        .looseObject(
          {
            clientDataJSON: base64url(8_000, 'Challenge and origin'),
            authenticatorData: base64url(8_000, 'Flags and counter'),
            signature: base64url(8_000, 'The signature of both'),
            userHandle: base64url(88, 'Whose passkey it is'),
          },
          { error: 'Must have clientDataJSON, authenticatorData, signature and userHandle.' },
        )
        .meta({ description: 'What the device signed.' }),
    },
    { error: 'Must be the credential that the browser gave, as its toJSON() gives it.' },
  )
  .meta({ description: 'The result of `navigator.credentials.get`, as its `toJSON()` gives it.' });
export type AssertedCredential = z.output<typeof asserted>;

const caller = { kind: 'token', scope: 'profile:read', role: 'viewer' } as const;
const path = '/api/v1/passkeys';

export const passkeyRoutes = {
  createPasskeyOptions: route({
    method: 'POST',
    path: `${path}/options`,
    summary: 'Begin a passkey',
    description: 'A challenge with which a browser makes a passkey for the calling user, valid for five minutes.',
    caller,
    isOwnRecord: true,
    freshProof: true,
    answers: { 200: success(passkeyOptions) },
    errors: ['not_found', 'plan_limit_reached'],
  }),
  createPasskey: route({
    method: 'POST',
    path,
    makes: 'passkey',
    summary: 'Add a passkey',
    description:
      'Stores the passkey that a browser made for `createPasskeyOptions`, at most ten for a user. It signs in to what the calling credential may do: added with a token, or in a session of one, it has its scopes and networks, and ends with it.',
    caller,
    freshProof: true,
    isOwnRecord: true,
    body: z
      .object({
        name: text(100, 1).optional().meta({ description: 'A name for it; by default the browser.' }),
        credential: attested,
      })
      .meta({ id: 'CreatePasskeyRequest' }),
    answers: { 200: success(passkeyRecord) },
    refuses: ['taken', 'proof'],
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
  listPasskeys: route({
    method: 'GET',
    path,
    summary: 'List your passkeys',
    description: "The calling user's own, oldest first.",
    caller,
    answers: { 200: success(z.array(passkeyRecord)) },
    errors: [],
  }),
  deletePasskey: route({
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Remove a passkey',
    description: 'It signs in no more. Sessions that began with it go on: end them with `deleteSession`.',
    caller,
    isOwnRecord: true,
    params: z.object({ id: pathId }),
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
  createPasskeySignIn: route({
    method: 'POST',
    path: `${path}/sign-in/options`,
    summary: 'Begin to sign in with a passkey',
    description: 'A challenge that any passkey of this deployment may answer, valid for five minutes.',
    caller: { kind: 'public' },
    sameOrigin: true,
    limit: 'sign_in',
    answers: { 200: success(passkeyOptions) },
    errors: [],
  }),
  signInWithPasskey: route({
    method: 'POST',
    path: `${path}/sign-in`,
    makes: 'session',
    summary: 'Sign in with a passkey',
    description: 'Starts a session as `createSession` does, for the user and the company that the passkey is of.',
    caller: { kind: 'public' },
    sameOrigin: true,
    limit: 'sign_in',
    body: z.object({ credential: asserted }).meta({ id: 'SignInWithPasskeyRequest' }),
    answers: { 200: success(startedSession) },
    errors: ['passkey_invalid', 'ip_not_allowed', 'validation_failed', 'conflict'],
  }),
};
