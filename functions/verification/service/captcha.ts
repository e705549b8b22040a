import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { log } from '../../../shared/runtime/log.ts';
import { unseal } from '../../../shared/runtime/seal.ts';
import { isRightCaptcha } from '../gateway/captcha.ts';
import type { Profile } from './caller.ts';

/** Binds the sealed secret to its profile. */
export const aboutCaptcha = (companyId: number, profileId: string): string => `verification-captcha:${companyId}:${profileId}`;

/** Asks the profile's CAPTCHA service about the answer that came with a request (V13); undefined: it is right. */
export const captchaProblem = async (
  profile: Profile,
  token: string | undefined,
  ip: string | undefined,
): Promise<Problem<'captcha_required' | 'captcha_failed'> | undefined> => {
  if (!token) return problem('captcha_required', { details: { captcha_token: ['A CAPTCHA answer is needed.'] } });
  const { provider, secret_key: sealed } = profile.settings.captcha;
  const secret = await unseal(sealed, aboutCaptcha(profile.companyId, profile.id)).catch((error: unknown) =>
    log.error('The CAPTCHA secret of a profile cannot be read', error),
  );
  if (secret !== undefined && (await isRightCaptcha({ provider, secret }, token, ip))) return undefined;
  return problem('captcha_failed', { details: { captcha_token: ['The CAPTCHA answer is not valid.'] } });
};
