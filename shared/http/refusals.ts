import { type ProblemCode, problems } from '../contract/problems.ts';
import { metric } from '../runtime/log.ts';

/** Limits that are no sign of an attack by themselves, and refusals of the plan. */
const uncounted: readonly ProblemCode[] = ['plan_limit_reached'];

/** The metric of codes that have one of their own; the others are counted by status. */
const ownMetrics: Partial<Record<ProblemCode, string>> = {
  too_many_attempts: 'WrongCodes',
  blocked: 'VerificationBlocks',
  fraud_blocked: 'VerificationBlocks',
  captcha_failed: 'FailedCaptchas',
  handshake_failed: 'FailedSignatures',
};

const metricsByStatus: Partial<Record<number, string>> = { 401: 'RefusedCalls', 403: 'RefusedAccess', 429: 'RefusedCalls' };

/**
 * Counts a refused call that shows an attack, or a caller who is about to stop working. The code and the company are in the metric's line,
 * not in its dimensions: a metric for each code of each company would cost more than what it counts.
 */
export const countRefusal = (code: ProblemCode): void => {
  const { status } = problems[code];
  const isSignature = status === 401 && /signature|timestamp/.test(code);
  const name = ownMetrics[code] ?? (isSignature ? 'FailedSignatures' : metricsByStatus[status]);
  if (name !== undefined && !uncounted.includes(code)) metric(name, 'Count', 1, {}, { code });
};
