import type { NoticedKind } from '../../verification/contract/notice.ts';
import type { NoticedCredential, NoticedUser } from '../contract/notice.ts';

const kinds: Readonly<Record<string, readonly [made: NoticedKind, renewed: NoticedKind]>> = {
  token: ['token', 'token_secret'],
  erp_token: ['receiver', 'receiver_secret'],
  webhook_token: ['receiver', 'receiver_secret'],
  public_key: ['key', 'key_secret'],
  secret_key: ['key', 'key_secret'],
};

/** Which credential was made, or got a new secret. Sessions end by themselves. */
export const madeCredential = (before: NoticedCredential | undefined, after: NoticedCredential | undefined): NoticedKind | undefined => {
  const [made, renewed] = kinds[after?.credentialKind ?? ''] ?? [];
  if (after?.status !== 'active' || before?.hash === after.hash) return undefined;
  return before ? renewed : made;
};

/** A user who was made, taken back, or may something else from now on. */
export const changedAccess = (before: NoticedUser | undefined, after: NoticedUser | undefined): NoticedKind | undefined => {
  if (after?.status !== 'active') return undefined;
  if (before?.status !== 'active') return 'user';
  return before.role === after.role ? undefined : 'role';
};
