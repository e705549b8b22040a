import { networkOf } from '../../../shared/access/network.ts';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { storedRequest, type StoredRequest } from '../contract/stored.ts';
import { unknownRequestId } from '../store/request-budget.ts';
import { type CallContext, checkSignature, requireActiveKeyProfile, requireSignature, type SignatureProblem } from './caller.ts';
import { getCheckedRequest } from './early-read.ts';
import { getCallerProfile } from './profile.ts';
import { limitCallRate } from './rate-limit.ts';

/** `request` is undefined when the id is unknown or belongs to another company or profile. */
export interface AccessedRequest {
  request: StoredRequest | undefined;
  isTrusted: boolean;
}
export type AccessProblem = SignatureProblem | Problem<'signature_required' | 'profile_inactive'>;

/** The request behind an id for this caller, before its call is counted. 0.5 RRU; with a token also 0.5 RRU for its profile. */
export const getCallerRequest = async (call: CallContext, requestId: string): Promise<AccessedRequest | AccessProblem> => {
  const { companyId, subject } = call.caller;
  const inactive = requireActiveKeyProfile(call.caller);
  if (inactive) return inactive;
  const [trust, found] = await Promise.all([checkSignature(call), getCheckedRequest(companyId, requestId)]);
  if (isProblem(trust)) return trust;
  const request = parseDecoyIfMissing(found && (subject === undefined || found.profileId === subject) ? found : undefined);
  const unsigned = requireSignature(call, request?.signatureRequired ?? false, trust);
  if (unsigned) return unsigned;
  if (subject === undefined && request) {
    const profile = await getCallerProfile(call.caller, request.profileId);
    if (!isProblem(profile) && profile.status !== 'active') return problem('profile_inactive');
  }
  return { request, isTrusted: trust.isTrusted };
};

/** The same, with the call counted: by the request, or by the source address when there is none. */
export const getRateLimitedRequest = async (
  call: CallContext,
  requestId: string,
): Promise<(AccessedRequest & { headers: Record<string, string> }) | AccessProblem | Problem<'rate_limited'>> => {
  const found = await getCallerRequest(call, requestId);
  if (isProblem(found)) return found;
  const { companyId, credentialId } = call.caller;
  const limited = await limitCallRate({ companyId, credentialId, subject: found.request?.id ?? networkOf(call.sourceIp) });
  return isProblem(limited) ? limited : { ...found, headers: limited.headers };
};

/** A missing row takes as long as a found one, so that response times do not reveal which ids exist. */
function parseDecoyIfMissing(request: StoredRequest | undefined): StoredRequest | undefined {
  if (!request) storedRequest.parse(decoy);
  return request;
}

/** A keyed hash that no code has. */
export const emptyHash = '0'.repeat(64);

const decoy: StoredRequest = {
  companyId: 0,
  id: unknownRequestId,
  profileId: unknownRequestId,
  credentialId: 0,
  identifierHash: emptyHash,
  sealedIdentifier: emptyHash,
  sealedCode: emptyHash,
  codeHash: emptyHash,
  channel: 'whatsapp',
  purpose: 'default',
  status: 'pending',
  maxAttempts: 0,
  attemptBudget: 0,
  sends: 0,
  claimedSend: 0,
  claims: 0,
  lastSendAt: 0,
  createdAt: 0,
  expiresAt: 0,
  until: 0,
};
