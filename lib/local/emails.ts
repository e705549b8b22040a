import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, listOf, objectOf, parseJson, textOf } from './json.ts';

export type Email = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** When, ISO 8601 in the product's time. */
  at: string;
};

/** The mails the product sent: nothing leaves the laptop, all are listed. */
export interface Mailbox {
  add(request: JsonObject): void;
  list(): readonly Email[];
}

export const openMailbox = (folder: string): Mailbox => {
  const file = join(folder, 'emails.jsonl');
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const emails = wholeLines(stored);
  // the next mail must not continue a line that was cut off
  if (stored !== '' && !stored.endsWith('\n')) appendFileSync(file, '\n');
  return {
    add: (request) => {
      const email = emailOf(request);
      appendFileSync(file, `${JSON.stringify(email)}\n`, { mode: 0o600 });
      emails.push(email);
    },
    list: () => emails,
  };
};

/** From the body of SES v2 SendEmail with simple content. */
const emailOf = (request: JsonObject): Email => {
  const destination = objectOf(request.Destination);
  const content = objectOf(objectOf(request.Content).Simple);
  const body = objectOf(content.Body);
  const part = (value: unknown): string => textOf(objectOf(value).Data) ?? '';
  return {
    to: ['ToAddresses', 'CcAddresses', 'BccAddresses'].flatMap((name) => listOf(destination[name]).map(String)).join(', '),
    subject: part(content.Subject),
    text: part(body.Text),
    html: part(body.Html),
    at: new Date().toISOString(),
  };
};

/** A process that was killed may leave half a line. */
const wholeLines = (text: string): Email[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [parseJson(line) as Email];
    } catch {
      return [];
    }
  });
