import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { unseal } from '../../../shared/runtime/seal.ts';
import { isExpectedAnswer } from '../domain/captcha-answer.ts';
import { getCaptchaAnswer } from '../gateway/captcha.ts';
import type { CompleteProfile } from './profile.ts';

/** The sealing context that binds a CAPTCHA secret to its profile. */
export const captchaSecretContext = (companyId: number, profileId: string): string => `verification-captcha:${companyId}:${profileId}`;

/** Verifies a CAPTCHA token with the profile's provider. Undefined when it is valid. */
export const checkCaptcha = async (
  profile: CompleteProfile,
  token: string | undefined,
  ip: string | undefined,
): Promise<Problem<'captcha_required' | 'captcha_failed'> | undefined> => {
  if (!token) return problem('captcha_required', { details: { captcha_token: ['A CAPTCHA answer is needed.'] } });
  const { provider, secret_key: sealed } = profile.settings.captcha;
  const secret = await unseal(sealed, captchaSecretContext(profile.companyId, profile.id)).catch((error: unknown) =>
    log.error('The CAPTCHA secret of a profile cannot be read', error),
  );
  const answer = secret === undefined ? undefined : await getCaptchaAnswer({ provider, secret }, token, ip);
  if (answer && isExpectedAnswer(answer, profile.settings.captcha, now())) return undefined;
  return problem('captcha_failed', { details: { captcha_token: ['The CAPTCHA answer is not valid.'] } });
};
