import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import * as z from 'zod';
import { isProblem, invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { dayMs, isoTime, minuteMs, now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { getActiveLogin, type Login } from '../../account/service/logins.ts';
import { boundTokenHash, type SessionInput, sessionInputOfHash } from '../../account/service/sessions.ts';
import type { AssertedCredential, AttestedCredential, PasskeyOptions, PasskeyRecord } from '../contract/passkey.ts';
import { deviceOf } from '../domain/session.ts';
import { maxStoredPasskeys, maxPasskeysPerUser, parseUserHandle, type RelyingParty, userHandleOf } from '../domain/relying-party.ts';
import {
  type ChallengeUse,
  createPasskeyItem,
  getPasskey,
  listPasskeysOfUser,
  nextPasskeyId,
  type Passkey,
  putChallenge,
  revokePasskeyItem,
  claimChallenge,
  updateCounter,
} from '../store/passkey.ts';
import { type Browser, type SignedIn, started } from './start-session.ts';

/** Passkeys: keys in the devices of users, checked by WebAuthn. docs/decisions/passkeys.md */
const challengeLifeMs = 5 * minuteMs;

/** Ed25519, ECDSA and RSA, each with SHA-256: what every device has one of. https://www.iana.org/assignments/cose/ */
const algorithms = [-8, -7, -257];

const signIn: ChallengeUse = { companyId: 0, userId: 0 };

/** What a browser makes a passkey from, for the calling user. */
export const createPasskeyOptions = async (
  caller: Principal,
  party: RelyingParty,
): Promise<PasskeyOptions | Problem<'not_found' | 'plan_limit_reached'>> => {
  const { companyId, userId } = caller;
  const [login, stored] = await Promise.all([getActiveLogin(companyId, userId), listPasskeysOfUser(companyId, userId)]);
  if (!login) return problem('not_found');
  const tooMany = tooManyOf(stored);
  if (tooMany) return tooMany;
  const options = await generateRegistrationOptions({
    rpID: party.id,
    rpName: 'Switchboard',
    userID: new TextEncoder().encode(userHandleOf(companyId, userId)),
    userName: login.user.email,
    userDisplayName: `${login.user.name}, ${login.company.name}`,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: stored.filter(isActive).map(({ credentialId }) => ({ id: credentialId })),
    supportedAlgorithmIDs: algorithms,
    timeout: challengeLifeMs,
  });
  return openChallenge(options, { companyId, userId });
};

/** Stores what the browser made for a challenge of the calling user. */
export const createPasskey = async (
  caller: Principal,
  { name, credential }: { name?: string | undefined; credential: AttestedCredential },
  party: RelyingParty,
  userAgent: string,
): Promise<PasskeyRecord | Problem<'validation_failed' | 'plan_limit_reached'>> => {
  const { companyId, userId } = caller;
  const { id: credentialId, response } = credential;
  if (!(await claimChallengeOf(response.clientDataJSON, { companyId, userId }))) return refusedCredential;
  const verified = await orUndefined(() =>
    verifyRegistrationResponse({
      response: { id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: () => true,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (verified?.registrationInfo?.credential.id !== credentialId) return refusedCredential;
  const tooMany = tooManyOf(await listPasskeysOfUser(companyId, userId));
  if (tooMany) return tooMany;
  const { publicKey, counter } = verified.registrationInfo.credential;
  const passkey: Passkey = {
    companyId,
    userId,
    credentialId,
    id: await nextPasskeyId(companyId),
    name: name ?? deviceOf(userAgent),
    publicKey: Buffer.from(publicKey).toString('base64url'),
    counter,
    rpId: party.id,
    tokenHash: await boundTokenHash(caller),
    status: 'active',
    createdAt: now(),
  };
  return (await createPasskeyItem(passkey)) ? toRecord(passkey) : invalid('credential', 'Is a passkey already.');
};

/** The caller's own, oldest first. */
export const listPasskeys = async (caller: Principal): Promise<PasskeyRecord[]> =>
  (await listActive(caller)).toSorted((a, b) => a.id - b.id).map(toRecord);

/** A passkey of the caller signs in no more. */
export const deletePasskey = async (caller: Principal, id: number): Promise<{ id: number } | Problem<'not_found'>> => {
  const passkey = (await listActive(caller)).find((each) => each.id === id);
  // kept for a day, so that the audit trail can say who removed it
  const isRevoked = passkey !== undefined && (await revokePasskeyItem(passkey, Math.ceil((now() + dayMs) / 1_000)));
  return isRevoked ? { id } : problem('not_found');
};

/** What any device of any user may answer: it names none, so it shows of none whether it exists. */
export const createPasskeySignIn = async (party: RelyingParty): Promise<PasskeyOptions> =>
  openChallenge(await generateAuthenticationOptions({ rpID: party.id, userVerification: 'required', timeout: challengeLifeMs }), signIn);

/**
 * Starts a session for the user of a passkey. Whatever is wrong with it, the answer is the same: challenge, origin, signature, counter, a
 * passkey that was removed, a user who is gone.
 */
export const signInWithPasskey = async (
  credential: AssertedCredential,
  party: RelyingParty,
  browser: Browser,
): Promise<SignedIn | Problem<'passkey_invalid' | 'ip_not_allowed' | 'conflict'>> => {
  const { clientDataJSON, userHandle } = credential.response;
  if (!(await claimChallengeOf(clientDataJSON, signIn))) return problem('passkey_invalid');
  const owner = parseUserHandle(userHandle);
  const passkey = owner && (await getPasskey({ ...owner, credentialId: credential.id }));
  if (passkey?.status !== 'active' || !(await recordSignature(passkey, credential, party))) return problem('passkey_invalid');
  const input = await inputOf(passkey, browser.call.sourceIp);
  if (isProblem(input)) return input;
  const session = await started({ ...input, signedInBy: 'passkey' }, browser);
  if (!isProblem(session)) return session;
  return session.problem === 'conflict' ? problem('conflict') : problem('passkey_invalid');
};

/** False: it was not made by the passkey, for us, now. */
async function recordSignature(passkey: Passkey, { id, response }: AssertedCredential, party: RelyingParty): Promise<boolean> {
  if (passkey.rpId !== undefined && passkey.rpId !== party.id) return false;
  const verified = await orUndefined(() =>
    verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: () => true,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')), counter: passkey.counter },
    }),
  );
  return verified?.verified === true && updateCounter(passkey, verified.authenticationInfo.newCounter, now());
}

/** As its user may, or as the token may with which it was added. */
async function inputOf(
  { companyId, userId, tokenHash, createdAt }: Passkey,
  sourceIp: string,
): Promise<Omit<SessionInput, 'name' | 'signedInBy'> | Problem<'passkey_invalid' | 'ip_not_allowed'>> {
  const login = await getActiveLogin(companyId, userId);
  if (!login || !isOfPresentUser(createdAt, login)) return problem('passkey_invalid');
  if (tokenHash === undefined) return { companyId, userId };
  const input = await sessionInputOfHash(tokenHash, sourceIp);
  if (!isProblem(input)) return input;
  return input.problem === 'ip_not_allowed' ? problem('ip_not_allowed') : problem('passkey_invalid');
}

async function openChallenge(options: object & { challenge: string }, use: ChallengeUse): Promise<PasskeyOptions> {
  const untilMs = now() + challengeLifeMs;
  await putChallenge(options.challenge, use, untilMs);
  return { public_key: { ...options }, expires_at: isoTime(untilMs) };
}

/** Whether the device answered an open challenge of this use. It is used up, whatever else is wrong. */
async function claimChallengeOf(clientDataJSON: string, use: ChallengeUse): Promise<boolean> {
  const { challenge } = clientData.safeParse(parsed(clientDataJSON)).data ?? {};
  return challenge !== undefined && claimChallenge(challenge, use, now());
}

const listActive = async ({ companyId, userId }: Principal): Promise<Passkey[]> => {
  const [login, stored] = await Promise.all([getActiveLogin(companyId, userId), listPasskeysOfUser(companyId, userId)]);
  return stored.filter((passkey) => isActive(passkey) && login !== undefined && isOfPresentUser(passkey.createdAt, login));
};

/** A passkey ends when its user is deactivated, also if the user is taken back later. */
const isOfPresentUser = (createdAt: number, { user }: Login): boolean => createdAt > (user.deactivatedAt ?? 0);

const clientData = z.object({ challenge: z.string().min(1).max(200) });

function parsed(base64url: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64url, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** The library throws whatever it does not accept. */
async function orUndefined<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch (error) {
    log.warn('A passkey was not accepted', { error: error instanceof Error ? error.name : typeof error });
    return undefined;
  }
}

const refusedCredential = invalid('credential', 'Is no answer to an open challenge of this user: begin again with createPasskeyOptions.');

/** Undefined: another can be added. */
const tooManyOf = (stored: readonly Passkey[]): Problem<'plan_limit_reached'> | undefined => {
  const used = stored.filter(isActive).length;
  if (used >= maxPasskeysPerUser)
    return problem('plan_limit_reached', {
      message: `A user can have ${maxPasskeysPerUser} passkeys; remove one first.`,
      details: { resource: 'passkeys', limit: maxPasskeysPerUser, used },
    });
  if (stored.length < maxStoredPasskeys) return undefined;
  return problem('plan_limit_reached', {
    message: 'Too many passkeys were added and removed within a day; try again tomorrow.',
    details: { resource: 'passkeys', limit: maxStoredPasskeys, used: stored.length },
  });
};
const isActive = ({ status }: Passkey): boolean => status === 'active';

const toRecord = ({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyRecord => ({
  id,
  name,
  created_at: isoTime(createdAt),
  last_used_at: lastUsedAt === undefined ? null : isoTime(lastUsedAt),
});
