import type { Fixture } from './fixture.ts';

/** What the provider and the mail service took of a request's messages. */
export interface Ledger {
  messages: number;
  /** Of every message; one code, if all is well. */
  codes: string[];
  code: string | undefined;
  /** The path of its magic link. */
  link: string | undefined;
  /** By which the provider's word of a message finds its request. */
  references: string[];
}

export const ledgerOf = ({ provider, testApp }: Fixture, requestId: string): Ledger => {
  const accepted = provider.requests.filter(({ body, wamid }) => wamid !== undefined && referenceIn(body).includes(requestId));
  const messages = accepted.map(({ body }) => JSON.stringify(body));
  const mails = testApp.emails.map((mail) => JSON.stringify(mail)).filter((mail) => mail.includes(requestId));
  const codes = [
    ...messages.map((message) => /"text":"(\d{6})"/.exec(message)?.[1] ?? 'none'),
    ...mails.map((mail) => /"Data":"(\d{6}) is your/.exec(mail)?.[1] ?? 'none'),
  ];
  return {
    messages: codes.length,
    codes: [...new Set(codes)],
    code: codes[0],
    link: /https:\/\/[^"\\\s<]*(\/api\/v1\/verification\/magic\/[^"\\\s<]+)/.exec(mails[0] ?? '')?.[1],
    references: accepted.map(({ body }) => referenceIn(body)),
  };
};

const referenceIn = (body: Record<string, unknown>): string => {
  const { biz_opaque_callback_data: reference } = body;
  return typeof reference === 'string' ? reference : '';
};

/** The request that a message is about, by the reference in what the provider is given or the link in a mail. */
export const requestIn = (body: unknown): string =>
  /(?:sbv1:\d+:|\/magic\/)([0-9a-f-]{36})/.exec(typeof body === 'string' ? body : '')?.[1] ?? '';
