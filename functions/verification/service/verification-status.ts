import type * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, isoTime, minuteMs, now } from '../../../shared/runtime/clock.ts';
import type { statusBody } from '../contract/routes.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { isBlocked, secondsUntil } from '../domain/request-budget.ts';
import { withResult } from '../domain/request-result.ts';
import { isProofShown } from '../domain/requester.ts';
import { getRequestBudget, type RequestBudget } from '../store/request-budget.ts';
import type { CallContext } from './caller.ts';
import { requestBudgetIdOf } from './finish-request.ts';
import { type AccessProblem, getRateLimitedRequest } from './request-access.ts';
import { toVerifiedResponse } from './verified-response.ts';

type StatusBody = z.output<typeof statusBody>;

/** How long after the verification GET /verification/status shows the trust key. */
const trustShownMs = 15 * minuteMs;

/** GET /verification/status/{request_id}. 1 RRU beyond the credential check, and 1 WRU that counts the call. */
export const getVerificationStatus = async (
  call: CallContext,
  requestId: string,
): Promise<{ body: StatusBody; headers: Record<string, string> } | AccessProblem | Problem<'rate_limited' | 'not_found'>> => {
  const found = await getRateLimitedRequest(call, requestId);
  if (isProblem(found)) return found;
  const { headers, isTrusted } = found;
  const at = now();
  const budget = found.request?.status === 'pending' ? await getRequestBudget(requestBudgetIdOf(found.request)) : undefined;
  const request = found.request && withResult(found.request, budget);
  if (!request || (request.endedAt ?? request.expiresAt) + dayMs <= at) return { ...problem('not_found'), headers };
  const common = {
    request_id: request.id,
    is_verified: request.status === 'verified',
    purpose: request.purpose,
    expires_at: isoTime(request.expiresAt),
    ...(isTrusted ? { is_shared: request.isShared === true, metadata_json: toRequestMetadata(request) } : {}),
  };
  const showsProof = isProofShown(request, { isTrusted, credentialId: call.caller.credentialId });
  return { body: { ...common, ...(await toStatus(request, { budget, showsProof }, at)) }, headers };
};

async function toStatus(
  request: StoredRequest,
  { budget, showsProof }: { budget: RequestBudget | undefined; showsProof: boolean },
  at: number,
): Promise<Partial<StatusBody> & Pick<StatusBody, 'status'>> {
  const reason = request.reason && request.reason !== request.status ? { reason: request.reason } : {};
  switch (request.status) {
    case 'verified': {
      if (!showsProof) return { status: 'verified' };
      const { trust_key, identifier, channel, verified_at } = await toVerifiedResponse(request);
      const showsTrust = (request.endedAt ?? 0) + trustShownMs > at;
      return { status: 'verified', identifier, channel, verified_at, ...(showsTrust ? { trust_key } : {}) };
    }
    case 'blocked':
      return { status: 'blocked', ...reason, retry_after: secondsUntil(request.blockedUntil ?? at, at) };
    case 'pending':
      return request.expiresAt <= at ? { status: 'expired' } : pendingStatus(budget, at);
    default:
      return { status: request.status, ...reason };
  }
}

const pendingStatus = (budget: RequestBudget | undefined, at: number): Pick<StatusBody, 'status' | 'retry_after'> =>
  budget && isBlocked(budget, at)
    ? { status: 'rate_limited', retry_after: secondsUntil(budget.blockedUntil ?? at, at) }
    : { status: 'pending' };

/** Where the request came from, for trusted callers only. */
const toRequestMetadata = ({ ip, userAgent, country, asn, risk }: StoredRequest): NonNullable<StatusBody['metadata_json']> => ({
  ip: ip ?? null,
  user_agent: userAgent ?? null,
  country: country ?? null,
  asn: asn ?? null,
  risk: risk ?? { score: 0, reasons: [] },
});
