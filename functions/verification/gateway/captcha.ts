import * as z from 'zod';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { bodyWithin, fetchService } from '../../../shared/runtime/fetch.ts';
import { jsonOf } from '../../../shared/runtime/json.ts';
import { log } from '../../../shared/runtime/log.ts';

const answer = z.object({
  success: z.boolean(),
  score: z.number().optional(),
  hostname: z.string().optional(),
  action: z.string().optional(),
  challenge_ts: z.string().optional(),
});
type CaptchaAnswer = Pick<z.output<typeof answer>, 'hostname' | 'action' | 'challenge_ts'>;

const verifyUrls = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
} as const;

/** A reCAPTCHA v3 score below this is an automated client: https://developers.google.com/recaptcha/docs/v3#interpreting_the_score */
const minScore = 0.5;

/**
 * Verifies a CAPTCHA token with the provider; all three take the same form. Undefined for an invalid token, and for a provider that does not
 * respond, so that an attack does not pass while it is unavailable.
 */
export const getCaptchaAnswer = async (
  { provider, secret }: { provider: keyof typeof verifyUrls; secret: string },
  token: string,
  ip: string | undefined,
): Promise<CaptchaAnswer | undefined> => {
  try {
    const response = await fetchService(optionalSetting('SITEVERIFY_URL') ?? verifyUrls[provider], {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, ...(ip === undefined ? {} : { remoteip: ip }) }),
      signal: AbortSignal.timeout(5_000),
    });
    const body = answer.safeParse(jsonOf((await bodyWithin(response, 100_000)) ?? Buffer.alloc(0)));
    if (!body.success || !body.data.success) return undefined;
    const isHuman = provider !== 'recaptcha' || body.data.score === undefined || body.data.score >= minScore;
    return isHuman ? body.data : undefined;
  } catch (error) {
    log.error('The CAPTCHA service did not answer', error);
    return undefined;
  }
};
