import { isProblem, problem, type Problem, type ProblemCode } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { signInCompanyId, signInProfile } from '../../account/service/stored-profiles.ts';
import type { CallContext } from './caller.ts';
import { type BrowserScope, requestVerification } from './request-verification.ts';
import { verifyCode } from './verify-code.ts';

/**
 * Codes with which the product's own users sign in: requests of a built-in profile that belongs to no company, under the limits of every other
 * profile. Whether an address is a user's is looked up by the worker that sends the code alone, so a caller learns nothing of it.
 */
export type SignInCall = Pick<CallContext, 'method' | 'url' | 'operationId' | 'sourceIp'> & { userAgent: string };

/** As anyone with a public key. */
const caller: Principal = {
  companyId: signInCompanyId,
  userId: 0,
  credentialId: 0,
  credentialKind: 'public_key',
  role: 'viewer',
  scopes: [],
  subject: signInProfile.id,
  subjectStatus: 'active',
  isTest: false,
};

const contextOf = ({ userAgent, ...call }: SignInCall): CallContext => ({
  ...call,
  caller,
  headers: { 'user-agent': userAgent },
  rawBody: Buffer.alloc(0),
});

export interface RequestedCode {
  requestId: string;
  expiresAt: string;
  codeLength: number;
  resendInSeconds: number;
}

const requestProblems = [
  'rate_limited',
  'otp_bombing',
  'ceiling_reached',
  'velocity_limit',
  'too_many_attempts',
  'blocked',
  'validation_failed',
  'temporarily_unavailable',
] as const satisfies readonly ProblemCode[];

/** `browser`: to which the request belongs; others have requests, attempts and sends of their own. */
export const requestSignInCode = async (
  call: SignInCall,
  email: string,
  browser: BrowserScope,
): Promise<RequestedCode | Problem<(typeof requestProblems)[number]>> => {
  const result = await requestVerification(contextOf(call), { identifier: email, channel: 'email', purpose: 'sign-in' }, browser);
  if (isProblem(result)) return only(requestProblems, result) ?? problem('blocked', { retryAfterSeconds: 3_600 });
  if (result.kind === 'trusted') throw new Error('The profile of sign-in has no trust keys.');
  const { request } = result.inProgress;
  const { otp } = result.profile.settings;
  return {
    requestId: request.id,
    expiresAt: isoTime(request.expiresAt),
    codeLength: request.codeLength ?? otp.length,
    resendInSeconds: Math.max(0, Math.ceil((result.inProgress.nextSendAt - now()) / 1_000)),
  };
};

const attemptProblems = ['rate_limited', 'too_many_attempts', 'blocked', 'expired'] as const satisfies readonly ProblemCode[];

/** The email address that the correct code proves. Everything else that a code is not looks alike. */
export const verifySignInCode = async (
  call: SignInCall,
  requestId: string,
  { code, browserKey }: { code: string; browserKey: string },
): Promise<string | Problem<(typeof attemptProblems)[number] | 'code_invalid'>> => {
  const outcome = await verifyCode(contextOf(call), { request_id: requestId, code, browserKey });
  if (isProblem(outcome)) return only(attemptProblems, outcome) ?? problem('code_invalid');
  const { body } = outcome;
  return body.verified
    ? body.identifier.toLowerCase()
    : problem('code_invalid', { details: { attempts_remaining: body.attempts_remaining } });
};

/** The problem, where its code is one of these. */
function only<Code extends ProblemCode>(codes: readonly Code[], given: Problem): Problem<Code> | undefined {
  return (codes as readonly string[]).includes(given.problem) ? (given as Problem<Code>) : undefined;
}
