import { createServer } from 'node:http';
import type { Emulator } from './emulators.ts';

/** An event as it arrived at the bus. */
export interface PublishedEvent {
  name: string;
  bus: string;
  source: string;
  detail: Record<string, unknown>;
}

export interface AwsStub extends Emulator {
  events: PublishedEvent[];
  /** What the mail service took. */
  emails: Record<string, unknown>[];
  /** How it treats the next mails; a lost one is taken, and the answer never comes. */
  mailing: (manner: ((mail: Record<string, unknown>) => MailBehaviour) | undefined) => void;
  secrets: Map<string, string>;
}

export type MailBehaviour = 'taken' | 'throttled' | 'rejected' | 'lost';
const refusals = {
  throttled: { status: 429, type: 'TooManyRequestsException' },
  rejected: { status: 400, type: 'MessageRejected' },
};

/** Secrets Manager, EventBridge and SES as far as the product calls them, over HTTP, so that the real SDK clients are used. */
export const startAwsStub = async (port: number): Promise<AwsStub> => {
  const events: PublishedEvent[] = [];
  const emails: Record<string, unknown>[] = [];
  const secrets = new Map<string, string>();
  let manner: ((mail: Record<string, unknown>) => MailBehaviour) | undefined;
  const answers: Record<string, (input: Record<string, unknown>) => unknown> = {
    GetSecretValue: ({ SecretId }) => {
      const SecretString = secrets.get(String(SecretId));
      return SecretString === undefined ? undefined : { Name: SecretId, ARN: SecretId, SecretString };
    },
    PutEvents: ({ Entries }) => ({
      FailedEntryCount: 0,
      Entries: (Entries as Record<string, string>[]).map((entry, index) => {
        events.push({
          name: entry['DetailType'] ?? '',
          bus: entry['EventBusName'] ?? '',
          source: entry['Source'] ?? '',
          detail: JSON.parse(entry['Detail'] ?? '{}') as Record<string, unknown>,
        });
        return { EventId: `event-${events.length}-${index}` };
      }),
    }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const input = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Record<string, unknown>;
      const operation =
        String(request.headers['x-amz-target'] ?? '')
          .split('.')
          .at(-1) ?? '';
      const isEmail = request.url?.includes('outbound-emails') ?? false;
      const treated = isEmail ? (manner?.(input) ?? 'taken') : 'taken';
      if (treated === 'throttled' || treated === 'rejected') {
        const { status, type } = refusals[treated];
        response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
        response.end(JSON.stringify({ message: 'Made by a test.' }));
        return;
      }
      if (isEmail) emails.push(input);
      if (treated === 'lost') {
        response.destroy();
        return;
      }
      const answer = isEmail ? { MessageId: `email-${emails.length}` } : answers[operation]?.(input);
      response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(answer ?? { __type: 'ResourceNotFoundException', message: `Nothing for ${operation}.` }));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  server.unref();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    events,
    emails,
    mailing: (given) => {
      manner = given;
    },
    secrets,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
