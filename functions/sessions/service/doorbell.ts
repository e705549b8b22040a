import { createHmac } from 'node:crypto';
import { doorbellAddressVariable, doorbellChannel, doorbellHostVariable } from '../../../shared/contract/doorbell.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { cursorKey } from '../../../shared/contract/secret.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { derivedKey, readKeyRing, sameSecret } from '../../../shared/runtime/seal.ts';
import type { DoorbellRecord } from '../contract/session.ts';
import { doorbellTokenLifeMs, formatGrant, parseGrant } from '../domain/doorbell.ts';

/** Where the caller gets the rings of the company, and with which token. */
export const getDoorbell = async ({ companyId }: Principal): Promise<DoorbellRecord> => {
  const address = optionalSetting(doorbellAddressVariable);
  const host = optionalSetting(doorbellHostVariable);
  if (address === undefined || host === undefined) return { doorbell: null };
  const until = now() + doorbellTokenLifeMs;
  const grant = formatGrant({ companyId, until });
  const token = `${grant}.${signature((await readKeyRing(cursorKey)).key, grant)}`;
  return { doorbell: { address, host, channel: doorbellChannel(companyId), token, expires_at: isoTime(until) } };
};

/** Whether a token lets its bearer connect and, where a channel is named, subscribe to that one. It reads no table: each connection takes two answers. */
export const maySubscribe = async (token: string, channel: string | undefined): Promise<boolean> => {
  const end = token.lastIndexOf('.');
  const text = token.slice(0, Math.max(0, end));
  const { key, previous = {} } = await readKeyRing(cursorKey);
  if (![key, ...Object.values(previous)].some((each) => sameSecret(token.slice(end + 1), signature(each, text)))) return false;
  const grant = parseGrant(text);
  if (grant === undefined || grant.until <= now()) return false;
  return channel === undefined || channel === doorbellChannel(grant.companyId);
};

/** By the secret that signs cursors, which is for what callers bring back unchanged; under a name of its own. */
function signature(key: string, grant: string): string {
  return createHmac('sha256', derivedKey(key, 'doorbell')).update(grant).digest('base64url');
}
