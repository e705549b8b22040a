import { randomInt, randomUUID } from 'node:crypto';
import { networkOf } from '../../../shared/access/network.ts';
import { isOneOf, keyedHash, keyedHashes, seal, unseal } from '../../../shared/runtime/seal.ts';
import { canonicalPhone } from '../../contacts/contract/phone.ts';
import type { Identifier } from '../domain/identifier.ts';
import { type RequesterTraits, requesterText } from '../domain/requester.ts';

/** Keyed values of verification, derived when needed and stored nowhere unless noted. */

/**
 * Finds the budget of an identifier. Variants of one phone number share a hash, so that they share their limits. `browserKey`: of a sign-in, each
 * browser has a budget of its own.
 */
export const hashIdentifier = async (
  profileId: string,
  identifier: Pick<Identifier, 'kind' | 'value'> | undefined,
  browserKey?: string,
): Promise<string> => {
  const value = identifier?.kind === 'phone' ? `+${canonicalPhone(identifier.value.slice(1))}` : (identifier?.value ?? '');
  const ofBrowser = browserKey === undefined ? '' : `\n${browserKey}`;
  return (await keyedHash('verification-person', `${profileId}:${value}${ofBrowser}`)).slice(0, 40);
};

/** What the attempts of an address at an identifier are counted by; without an address, those of a server. */
export const hashSource = async (identifierHash: string, address: string | undefined): Promise<string> =>
  (await keyedHash('verification-source', `${identifierHash}:${address === undefined ? 'server' : networkOf(address)}`)).slice(0, 8);

const referenceAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** The reference in a one-click message: ten characters, 50 bits. */
export const oneClickReference = async (requestId: string): Promise<string> =>
  toReference(await keyedHash('verification-intent', requestId));

/** Those that a message may contain: under either key, while the keys change. */
export const oneClickReferences = async (requestId: string): Promise<string[]> =>
  (await keyedHashes('verification-intent', requestId)).map(toReference);

const toReference = (hash: string): string =>
  Array.from(Buffer.from(hash, 'hex').subarray(0, 10), (byte) => referenceAlphabet[byte % 32]).join('');

/** Stored with the request; a code is compared with it. */
export const hashCode = (requestId: string, code: string): Promise<string> => keyedHash(...codeParts(requestId, code));

/** What a code may be stored as: under either key, while the keys change. */
export const hashesOfCode = (requestId: string, code: string): Promise<string[]> => keyedHashes(...codeParts(requestId, code));

const codeParts = (requestId: string, code: string) => ['verification-code', `${requestId}:${code}`] as const;

/** Stored with the request: a caller's own label, by which a later request is trusted. Equal labels of two identifiers differ. */
export const hashLabel = async (identifierHash: string, label: string): Promise<string> =>
  (await keyedHash('verification-label', `${identifierHash}:${label}`)).slice(0, 24);

/** Stored with the request, to recognize its requester; of a server that names no end user, two calls never have the same. */
export const hashRequester = async (traits: RequesterTraits): Promise<string> =>
  (await keyedHash('verification-requester', requesterText(traits) ?? randomUUID())).slice(0, 24);

/** Issued when a request is verified; GET /verification/status derives it again. */
export const deriveTrustKey = async (profileId: string, requestId: string, identifierHash: string): Promise<string> =>
  `tk_${base64url(await keyedHash('verification-trust', `${profileId}:${requestId}:${identifierHash}`))}`;

/** The token of a magic link: 43 URL-safe characters, of which 7 name the company and 36 (216 bits) authenticate company and request. */
export const deriveLinkToken = async (companyId: number, requestId: string): Promise<string> =>
  toLinkToken(companyId, await keyedHash(...linkParts(companyId, requestId)));

/** Whether a token is that of the request: under either key, while the keys change. */
export const isLinkToken = async (companyId: number, requestId: string, token: string): Promise<boolean> => {
  const hashes = await keyedHashes(...linkParts(companyId, requestId));
  return isOneOf(
    hashes.map((hash) => toLinkToken(companyId, hash)),
    token,
  );
};

const linkParts = (companyId: number, requestId: string) => ['verification-link', `${companyId}:${requestId}`] as const;

const toLinkToken = (companyId: number, hash: string): string => {
  const company = Buffer.alloc(6);
  company.writeUIntBE(companyId, 0, 6);
  return `${company.subarray(1, 6).toString('base64url').slice(0, 7)}${base64url(hash).slice(0, 36)}`;
};

/** The company in a link's token; undefined when the text is not a token. */
export const companyIdOfLinkToken = (token: string): number | undefined => {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
  const companyId = Buffer.from(token.slice(0, 7), 'base64url').readUIntBE(0, 5);
  return companyId > 0 ? companyId : undefined;
};

export const sealValue = (requestId: string, field: 'code' | 'identifier', value: string): Promise<string> =>
  seal(value, `verification:${requestId}:${field}`);
export const unsealValue = (requestId: string, field: 'code' | 'identifier', sealed: string): Promise<string> =>
  unseal(sealed, `verification:${requestId}:${field}`);

/** A uniform random integer from 0 to `limit` - 1, from the system's CSPRNG. */
export const randomBelow = (limit: number): number => randomInt(limit);

function base64url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}
