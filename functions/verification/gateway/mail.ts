import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { setTimeout as pause } from 'node:timers/promises';
import { withTimeouts } from '../../../shared/runtime/aws-client.ts';
import { optionalSetting, setting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';
import { processValue } from '../../../shared/runtime/memory.ts';
import { isRequestNeverSent } from '../../../shared/runtime/request-never-sent.ts';

/** An email. A header is one line of ASCII, such as an address: SES refuses any other. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Readonly<Record<string, string>>;
}

/** `refused`: SES will never accept it. `unsent`: proven not to be accepted. `ambiguous`: unknown. */
export type MailOutcome = 'accepted' | 'refused' | 'unsent' | 'ambiguous';

/**
 * Sends one email. SES has no idempotency key, so only a throttled call is retried; the retries of the SDK are off, because they repeat
 * calls that may have succeeded. See docs/decisions/ambiguous-email-sends.md.
 */
export const sendMail = async ({ to, subject, text, html, headers = {} }: Mail): Promise<MailOutcome> => {
  const part = (data: string) => ({ Data: data, Charset: 'UTF-8' });
  const command = new SendEmailCommand({
    FromEmailAddress: setting('EMAIL_FROM'),
    ConfigurationSetName: optionalSetting('EMAIL_CONFIGURATION_SET'),
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: part(subject),
        Body: { Text: part(text), Html: part(html) },
        ...(Object.keys(headers).length === 0 ? {} : { Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) }),
      },
    },
  });
  for (let attempt = 1; ; attempt++) {
    try {
      await client().send(command);
      return 'accepted';
    } catch (error) {
      if (statusOf(error) !== tooMany || attempt === maxAttempts) {
        log.error('An email could not be sent', error);
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
  // no response: after a network error or a timeout the request may have arrived; any other error came before it left
  const mayHaveArrived = typeof code === 'string' || name === 'TimeoutError';
  return mayHaveArrived && !isRequestNeverSent(error) ? 'ambiguous' : 'unsent';
}

/**
 * A new connection for each email: one that was kept through a freeze of the function may be closed, and a call that fails with it has an
 * unknown outcome, so its email would be lost (https://github.com/aws/aws-sdk-js-v3/issues/1196).
 */
const client = processValue(() => new SESv2Client({ maxAttempts: 1, ...withTimeouts(10_000, { reusesConnections: false }) }));
