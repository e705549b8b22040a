import { randomInt } from 'node:crypto';
import { keyedHash, seal, unseal } from '../../../shared/runtime/seal.ts';
import { canonicalPhone } from '../../contacts/contract/phone.ts';
import type { Identifier } from '../domain/identifier.ts';

/** The keyed values of verification. What is derived here is kept nowhere. */
export const hashIdentifier = async (profileId: string, identifier: Pick<Identifier, 'kind' | 'value'> | undefined): Promise<string> => {
  // the variants of one number are one person, or a limit could be had twice
  const value = identifier?.kind === 'phone' ? `+${canonicalPhone(identifier.value.slice(1))}` : (identifier?.value ?? '');
  return (await keyedHash('verification-person', `${profileId}:${value}`)).slice(0, 40);
};

const referenceAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** V23: what a person writes to prove the phone they write from: ten characters, 50 bits. */
export const oneClickReference = async (requestId: string): Promise<string> => {
  const bytes = Buffer.from(await keyedHash('verification-intent', requestId), 'hex');
  return Array.from(bytes.subarray(0, 10), (byte) => referenceAlphabet[byte % 32]).join('');
};

export const hashCode = (requestId: string, code: string): Promise<string> => keyedHash('verification-code', `${requestId}:${code}`);

export const hashLabel = async (label: string): Promise<string> => (await keyedHash('verification-label', label)).slice(0, 24);

/** V19: shown again by /status without being stored. */
export const deriveTrustKey = async (profileId: string, requestId: string, person: string): Promise<string> =>
  `tk_${base64url(await keyedHash('verification-trust', `${profileId}:${requestId}:${person}`))}`;

/** V24: 43 url-safe characters, 7 of the company, since the address names none, and 216 bits nobody can guess; dies with its request. */
export const deriveLinkToken = async (companyId: number, requestId: string): Promise<string> => {
  const company = Buffer.alloc(6);
  company.writeUIntBE(companyId, 0, 6);
  const mac = base64url(await keyedHash('verification-link', `${companyId}:${requestId}`));
  return `${company.subarray(1, 6).toString('base64url').slice(0, 7)}${mac.slice(0, 36)}`;
};

/** The company in a link's token; undefined when the text cannot be one. */
export const companyIdOfLinkToken = (token: string): number | undefined => {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
  const companyId = Buffer.from(token.slice(0, 7), 'base64url').readUIntBE(0, 5);
  return companyId > 0 ? companyId : undefined;
};

export const sealValue = (requestId: string, what: 'code' | 'identifier', value: string): Promise<string> =>
  seal(value, `verification:${requestId}:${what}`);
export const unsealValue = (requestId: string, what: 'code' | 'identifier', sealed: string): Promise<string> =>
  unseal(sealed, `verification:${requestId}:${what}`);

/** Below `below`, evenly, from the system's CSPRNG. */
export const randomBelow = (below: number): number => randomInt(below);

function base64url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}
