import { codeSpace } from './code.ts';
import type { Settings } from './settings.ts';

/** Failed attempts of an identifier within 24 hours. */
export interface AttemptLimits {
  /** From one source: a stranger exhausts the stranger's own budget first. */
  source: number;
  /** From all sources that call with a public key. */
  public: number;
  /** From all callers; the difference is left for trusted callers and for users with a live trust key. */
  total: number;
}

/** The highest odds of a wrong user verifying an identifier within a day. */
export const maxOddsADay = 1e-4;

/** Three times the profile's budget in total, unless the odds of that are too high: then the budget holds for all sources together. */
export const attemptLimits = ({ otp, guess_budget_per_day: source }: Pick<Settings, 'otp' | 'guess_budget_per_day'>): AttemptLimits => {
  const total = Math.max(source, Math.min(3 * source, Math.floor(maxOddsADay * codeSpace(otp))));
  return { source, public: Math.max(source, total - source), total };
};

/** Attempts of a shared request: each source has the attempts of a request, all together three times as many. */
export const sharedAttempts = (maxAttempts: number): number => 3 * maxAttempts;
