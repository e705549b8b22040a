import * as z from 'zod';
import type { Channel } from './settings.ts';

/** Whom a code goes to (decision V9): a phone as E.164, an email in lower case, or a provider's user id, which no code can reach. */
export interface Identifier {
  kind: 'phone' | 'email' | 'user_id';
  value: string;
  /** The channel that can reach it. */
  channel: Channel;
}

/** Blanks and signs people write into numbers are dropped; 8 to 15 digits must remain. Undefined: none of the three. */
export const parseIdentifier = (given: string): Identifier | undefined => {
  const text = given.trim();
  if (text.includes('@')) {
    const value = text.toLowerCase();
    return value.length <= 254 && z.email().safeParse(value).success ? { kind: 'email', value, channel: 'email' } : undefined;
  }
  // the provider's form (provider reference §3.6)
  if (/^[A-Z]{2}(\.ENT)?\.[A-Za-z0-9]{1,128}$/.test(text)) return { kind: 'user_id', value: text, channel: 'whatsapp' };
  if (!/^(\+|00)?[0-9 ().\-/]+$/.test(text)) return undefined;
  const digits = text.replaceAll(/[^0-9]/g, '').replace(/^00/, '');
  return /^[1-9][0-9]{7,14}$/.test(digits) ? { kind: 'phone', value: `+${digits}`, channel: 'whatsapp' } : undefined;
};

/** The part of an address behind the @. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** Whether a domain is one of the list, or below one of it. */
export const isDomainWithin = (domain: string, list: readonly string[]): boolean =>
  list.some((each) => domain === each.toLowerCase() || domain.endsWith(`.${each.toLowerCase()}`));

/** As it is shown to people who need not know all of it: `+49151…67`, `a…@example.org`. */
export const maskIdentifier = ({ kind, value }: Pick<Identifier, 'kind' | 'value'>): string =>
  kind === 'email' ? `${value.slice(0, 1)}…@${domainOf(value)}` : `${value.slice(0, 6)}…${value.slice(-2)}`;
