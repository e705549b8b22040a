import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getSigningSecrets } from '../../account/service/signing-secrets.ts';
import { isValidSignature, timestampProblem } from '../domain/signature.ts';

/** The parts of an HTTP request that the operations of verification read. */
export interface CallContext {
  caller: Principal;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  rawBody: Buffer;
  operationId: string;
  sourceIp: string;
}

export interface CallerTrust {
  isSigned: boolean;
  /** The caller is a server of the company: it holds a secret key or a token, or its signature is valid. */
  isTrusted: boolean;
}

export type SignatureProblem = Problem<'signature_timestamp_required' | 'timestamp_out_of_range' | 'invalid_signature'>;

/** Decides whether the caller is trusted. A signature that is present must be valid. 0.5 RRU for a signed call, else none. */
export const checkSignature = async (call: CallContext): Promise<CallerTrust | SignatureProblem> => {
  const signature = call.headers['x-signature'];
  const holdsSecret = call.caller.credentialKind !== 'public_key';
  if (signature === undefined) return { isSigned: false, isTrusted: holdsSecret };
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
    ? { isSigned: true, isTrusted: true }
    : problem('invalid_signature', { message: 'The signature is not valid.' });
};

/** Refuses an unsigned call with a public key where a signature is required. */
export const requireSignature = (
  call: CallContext,
  isRequired: boolean,
  { isSigned }: Pick<CallerTrust, 'isSigned'>,
): Problem<'signature_required'> | undefined =>
  isRequired && call.caller.credentialKind === 'public_key' && !isSigned ? problem('signature_required') : undefined;

/** Refuses a key whose profile is inactive. The key carries the status; a token's profile is checked where it is read. */
export const requireActiveKeyProfile = ({ subjectStatus }: Principal): Problem<'profile_inactive'> | undefined =>
  subjectStatus === 'inactive' ? problem('profile_inactive') : undefined;
