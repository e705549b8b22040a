import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { setTimeout as pause } from 'node:timers/promises';
import { setting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';
import { isRequestNeverSent } from '../../../shared/runtime/request-never-sent.ts';

/** The mail service. */
export interface CodeMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** `refused`: it will never take it, however often it is asked. `unsent`: proven not to have been taken. `ambiguous`: nothing tells. */
export type MailOutcome = 'accepted' | 'refused' | 'unsent' | 'ambiguous';

/**
 * One mail. It has no idempotency key, so only what was proven not to be taken (a throttled call) is asked again here; the SDK would
 * also repeat what may have gone out.
 */
export const sendMail = async ({ to, subject, text, html }: CodeMail): Promise<MailOutcome> => {
  mail ??= new SESv2Client({ maxAttempts: 1 });
  const part = (data: string) => ({ Data: data, Charset: 'UTF-8' });
  const command = new SendEmailCommand({
    FromEmailAddress: setting('EMAIL_FROM'),
    Destination: { ToAddresses: [to] },
    Content: { Simple: { Subject: part(subject), Body: { Text: part(text), Html: part(html) } } },
  });
  for (let attempt = 1; ; attempt++) {
    try {
      await mail.send(command);
      return 'accepted';
    } catch (error) {
      if (statusOf(error) !== tooMany || attempt === maxAttempts) {
        log.error('A code could not be sent by email', error);
        return outcomeOf(error);
      }
      await pause(100 * 2 ** attempt * Math.random());
    }
  }
};
const maxAttempts = 3;
const tooMany = 429;

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode;

function outcomeOf(error: unknown): Exclude<MailOutcome, 'accepted'> {
  const { name, code } = error as { name?: string; code?: unknown };
  if (/^(MessageRejected|BadRequestException|MailFromDomainNotVerifiedException|NotFoundException)$/.test(name ?? '')) return 'refused';
  const status = statusOf(error);
  if (status !== undefined) return status >= 400 && status < 500 && status !== 408 ? 'unsent' : 'ambiguous';
  // without an answer: a code of the network or a timeout means that it was on its way; anything else failed before
  const wasOnItsWay = typeof code === 'string' || name === 'TimeoutError';
  return wasOnItsWay && !isRequestNeverSent(error) ? 'ambiguous' : 'unsent';
}

let mail: SESv2Client | undefined;
