import { ownOrigins } from '../../../shared/access/session.ts';

/** To what a passkey belongs: the name that browsers bind it to, and the origins of our own pages. */
export interface RelyingParty {
  id: string;
  origins: string[];
}

/**
 * The deployment that was called, as its pages know it: https://www.w3.org/TR/webauthn-3/#relying-party-identifier. A page calls it by
 * `Origin`; browsers bind no passkey to an address in digits, so on the laptop it is the other name.
 */
export const relyingPartyOf = (headers: Readonly<Record<string, string>>, url: string): RelyingParty => {
  const origins = ownOrigins(headers, new URL(url).origin);
  const { origin: called } = headers;
  const { hostname } = new URL(called !== undefined && origins.includes(called) ? called : (origins[0] ?? url));
  return { id: /^(127\.0\.0\.1|\[::1\])$/.test(hostname) ? 'localhost' : hostname, origins };
};

/** What a device stores to find its user again, and gives with each signature: company and user, without personal data. */
export const userHandleOf = (companyId: number, userId: number): string => `${companyId}.${userId}`;

/** Undefined: no handle of ours. */
export const parseUserHandle = (handle: string): { companyId: number; userId: number } | undefined => {
  const [, company, user] = /^([1-9][0-9]{0,15})\.([1-9][0-9]{0,15})$/.exec(Buffer.from(handle, 'base64url').toString()) ?? [];
  return company === undefined || user === undefined ? undefined : { companyId: Number(company), userId: Number(user) };
};

/** A user has at most so many passkeys. */
export const maxPasskeysPerUser = 10;
/** With those that were removed within a day, which are stored so long: a list reads them all. */
export const maxStoredPasskeys = 100;
