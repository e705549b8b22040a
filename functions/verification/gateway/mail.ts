import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { setting } from '../../../shared/runtime/env.ts';

/** The mail service. */
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

let mail: SESv2Client | undefined;
