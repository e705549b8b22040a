import * as z from 'zod';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';

const answer = z.object({ success: z.boolean(), score: z.number().optional() });

const verifyUrls = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
} as const;

/** A reCAPTCHA v3 score below this is an automated client: https://developers.google.com/recaptcha/docs/v3#interpreting_the_score */
const minScore = 0.5;

/**
 * Verifies a CAPTCHA token with the provider; all three take the same form. A provider that does not respond counts as invalid, so that
 * an attack does not pass while the provider is unavailable.
 */
export const isValidCaptcha = async (
  { provider, secret }: { provider: keyof typeof verifyUrls; secret: string },
  token: string,
  ip: string | undefined,
): Promise<boolean> => {
  try {
    const response = await fetch(optionalSetting('SITEVERIFY_URL') ?? verifyUrls[provider], {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, ...(ip === undefined ? {} : { remoteip: ip }) }),
      signal: AbortSignal.timeout(5_000),
      redirect: 'error',
    });
    const body = answer.safeParse(await response.json());
    if (!body.success || !body.data.success) return false;
    return provider !== 'recaptcha' || body.data.score === undefined || body.data.score >= minScore;
  } catch (error) {
    log.error('The CAPTCHA service did not answer', error);
    return false;
  }
};
