import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getStoredProfile, type StoredProfile } from '../../account/service/stored-profiles.ts';
import { getSigningSecrets } from '../../account/service/signing-secrets.ts';
import { isValidSignature, timestampProblem } from '../domain/signature.ts';
import { type Settings, parseSettings } from '../domain/settings.ts';
import { reserveCall, type RateId } from '../store/rate.ts';
import { rateHeaders, tooManyCalls } from './check-request-limits.ts';

/** What the operations take of a request. */
export interface CallContext {
  caller: Principal;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  rawBody: Buffer;
  operationId: string;
  sourceIp: string;
}

export interface Profile extends StoredProfile {
  settings: Settings;
}

type Unsigned = Problem<'signature_timestamp_required' | 'timestamp_out_of_range' | 'invalid_signature'>;

/**
 * Whether the caller is a server of the company (decision V4): it holds the secret key or a token, or its call is rightly signed. A
 * signature that is given must be right (V5). 0.5 RRU for a signed call, nothing else.
 */
export const checkSignature = async (call: CallContext): Promise<{ signed: boolean; trusted: boolean } | Unsigned> => {
  const signature = call.headers['x-signature'];
  const holdsSecret = call.caller.credentialKind !== 'public_key';
  if (signature === undefined) return { signed: false, trusted: holdsSecret };
  const timestamp = call.headers['x-timestamp'];
  const unusable = timestampProblem(timestamp, now());
  if (unusable) return problem(unusable);
  const secrets = await getSigningSecrets(call.caller.companyId, 'secret_key', call.caller.credentialId);
  const signed = {
    timestamp: (timestamp ?? '').trim(),
    signature,
    method: call.method,
    path: new URL(call.url).pathname,
    body: call.rawBody,
  };
  return isValidSignature(secrets, signed)
    ? { signed: true, trusted: true }
    : problem('invalid_signature', { message: 'The signature is not valid.' });
};

/** The profile a call is about (V8): the key's own, the one named, else the company's default. 0.5 RRU with a key. */
export const getCallerProfile = async (
  caller: Principal,
  named: string | undefined,
): Promise<Profile | Problem<'profile_mismatch' | 'profile_not_found'>> => {
  if (caller.subject !== undefined && named !== undefined && named !== caller.subject) return problem('profile_mismatch');
  const profile = await getStoredProfile(caller.companyId, caller.subject ?? named);
  return profile ? { ...profile, settings: parseSettings(profile.settings) } : problem('profile_not_found');
};

export const requireSignature = (
  call: CallContext,
  isRequired: boolean,
  trust: { signed: boolean },
): Problem<'signature_required'> | undefined =>
  isRequired && call.caller.credentialKind === 'public_key' && !trust.signed ? problem('signature_required') : undefined;

/** Counts a call (V16): the headers of its answer, or the refusal with the same headers. 1 WRU. */
export const limitCallRate = async (id: RateId): Promise<{ headers: Record<string, string> } | Problem<'rate_limited'>> => {
  const at = now();
  const used = await reserveCall(id, at);
  return used === undefined ? tooManyCalls(at) : { headers: rateHeaders(used, at) };
};

/** The profile of a key that is switched off (V7): every call but /config is refused. A bearer's profile is looked at where it is read. */
export const requireActiveKeyProfile = ({ subjectStatus }: Principal): Problem<'profile_inactive'> | undefined =>
  subjectStatus === 'inactive' ? problem('profile_inactive') : undefined;
