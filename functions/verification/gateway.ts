import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { optionalSetting, setting } from '../../shared/runtime/env.ts';
import { log } from '../../shared/runtime/log.ts';

/** The foreign systems of verification: the mail service and the CAPTCHA services. The messaging provider is messaging's. */
export interface CodeMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Throws when the mail service did not take it; `MessageRejected` and `BadRequestException` are final. */
export const sendMail = async ({ to, subject, text, html }: CodeMail): Promise<void> => {
  mail ??= new SESv2Client({ maxAttempts: 3 });
  const part = (data: string) => ({ Data: data, Charset: 'UTF-8' });
  await mail.send(
    new SendEmailCommand({
      FromEmailAddress: setting('EMAIL_FROM'),
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: part(subject), Body: { Text: part(text), Html: part(html) } } },
    }),
  );
};

/** Whether the mail service will never take it, however often it is asked. */
export const isFinalRefusal = (error: unknown): boolean =>
  error instanceof Error && /^(MessageRejected|BadRequestException|MailFromDomainNotVerifiedException|NotFoundException)$/.test(error.name);

const verifyUrls = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
} as const;

/** Asks the profile's CAPTCHA service (V13). A service that does not answer is a no: a flood must not pass because it is down. */
export const isRightCaptcha = async (
  { provider, secret_key: secret }: { provider: keyof typeof verifyUrls; secret_key: string },
  token: string,
  ip: string,
): Promise<boolean> => {
  try {
    const response = await fetch(optionalSetting('SITEVERIFY_URL') ?? verifyUrls[provider], {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, remoteip: ip }),
      signal: AbortSignal.timeout(5_000),
      redirect: 'error',
    });
    const body = (await response.json()) as { success?: unknown } | null;
    return body?.success === true;
  } catch (error) {
    log.error('The CAPTCHA service did not answer', error);
    return false;
  }
};

let mail: SESv2Client | undefined;
