/** What lets someone in and lasts: its user gets a mail about each. */
export const noticedKinds = [
  'token',
  'token_secret',
  'passkey',
  'user',
  'role',
  'receiver',
  'receiver_secret',
  'key',
  'key_secret',
] as const;
export type NoticedKind = (typeof noticedKinds)[number];
