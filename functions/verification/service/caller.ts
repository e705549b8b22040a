import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { getSigningSecrets } from '../../account/service/signing-secrets.ts';
import { isValidSignature, type SignedCall, signatureBytes, timestampProblem, toleranceSeconds } from '../domain/signature.ts';
import { claimSignature } from '../store/signature.ts';

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

/** What is to be signed of this very call, and how: the path is most often another one, the signature in hex. */
const wrongSignature = (
  signature: string,
  { timestamp, method, path }: Omit<SignedCall, 'signature' | 'body'>,
): Problem<'invalid_signature'> => {
  const isHex = /^(sha256=)?[0-9a-f]{64}$/i.test(signature.trim());
  return problem('invalid_signature', {
    message: isHex ? 'The signature is in hex; it must be in base64.' : 'The signature is not valid.',
    remedy: `Sign "${timestamp}.${method.toUpperCase()}.${path}.<raw body>" with the secret key: HMAC-SHA256, in base64. The path is that of the URL, without host and query; the body is the bytes as sent.`,
    details: { signed_path: path, encoding: 'base64' },
  });
};

export type SignatureProblem = Problem<'signature_timestamp_required' | 'timestamp_out_of_range' | 'invalid_signature'>;

/**
 * Decides whether the caller is trusted. A signature that is present must be valid, and one that sends a code must be new. 0.5 RRU for a
 * signed call, 1 WRU more for one that sends a code, else none.
 */
export const checkSignature = async (call: CallContext): Promise<CallerTrust | SignatureProblem> => {
  const signature = call.headers['x-signature'];
  const holdsSecret = call.caller.credentialKind !== 'public_key';
  if (signature === undefined) return { isSigned: false, isTrusted: holdsSecret };
  const timestamp = call.headers['x-timestamp'];
  const unusable = timestampProblem(timestamp, now());
  if (unusable) return problem(unusable);
  const secrets = await getSigningSecrets(call.caller.companyId, 'secret_key', call.caller.credentialId);
  const path = new URL(call.url).pathname;
  const signed = { timestamp: (timestamp ?? '').trim(), signature, method: call.method, path, body: call.rawBody };
  if (!isValidSignature(secrets, signed)) return wrongSignature(signature, signed);
  return (sendsCode(path) ? await refuseReplay(call, signature) : undefined) ?? { isSigned: true, isTrusted: true };
};

const sendsCode = (path: string): boolean => /\/(request|resend)$/.test(path);

/** A captured call is refused for as long as its timestamp is valid. A retry of the same operation is none. */
async function refuseReplay({ caller, operationId }: CallContext, signature: string): Promise<Problem<'invalid_signature'> | undefined> {
  const { companyId } = caller;
  const until = Math.ceil(now() / 1_000) + 2 * toleranceSeconds + 60;
  const claimed = await claimSignature({ companyId, hash: sha256(signatureBytes(signature).toString('hex')), operationId, until });
  if (claimed.done || claimed.current?.operationId === operationId) return undefined;
  return problem('invalid_signature', {
    message: 'The signature was used before.',
    remedy: 'Sign every call anew, with its own timestamp.',
  });
}

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
