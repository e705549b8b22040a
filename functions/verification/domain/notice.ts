import type { NoticedKind } from '../contract/notice.ts';

const names: Readonly<Record<NoticedKind, string>> = {
  token: 'A personal access token was made',
  token_secret: 'A personal access token got a new secret',
  passkey: 'A passkey was added',
  user: 'A user was added',
  role: 'The role of a user was changed',
  receiver: 'A token of a machine was made',
  receiver_secret: 'A token of a machine got a new secret',
  key: 'A verification key was made',
  key_secret: 'A verification key got a new secret',
};

/** The mail. It has no word that a caller chose, and no link. */
export const noticeText = (made: NoticedKind, id: number, companyId: number, at: string): { subject: string; text: string } => ({
  subject: names[made],
  text: [
    `${names[made]} (${id}) in company ${companyId}, at ${at} (UTC), by you or for you.`,
    '',
    'If it was you, there is nothing to do. If it was not: open the console by its usual address, choose Settings, Sessions, and',
    '"Sign out everywhere". That ends your sessions, and the tokens and passkeys of the last seven days. The audit log says what else was made.',
  ].join('\n'),
});

/** Mails to one user in an hour. Who makes more than that is seen by these. */
export const maxNoticesPerHour = 6;
