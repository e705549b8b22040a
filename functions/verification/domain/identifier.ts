import * as z from 'zod';
import type { Channel } from './settings.ts';

/** Whom a code goes to (decision V9): a phone as E.164, an email in lower case. */
export interface Identifier {
  kind: 'phone' | 'email';
  value: string;
  /** The channel that can reach it. */
  channel: Channel;
}

/** Blanks and signs people write into numbers are dropped; 8 to 15 digits must remain. Undefined: neither a phone nor an email. */
export const parseIdentifier = (given: string): Identifier | undefined => {
  const text = given.trim();
  if (text.includes('@')) {
    const value = text.toLowerCase();
    return value.length <= 254 && z.email().safeParse(value).success ? { kind: 'email', value, channel: 'email' } : undefined;
  }
  if (!/^(\+|00)?[0-9 ().\-/]+$/.test(text)) return undefined;
  const digits = text.replaceAll(/[^0-9]/g, '').replace(/^00/, '');
  return /^[1-9][0-9]{7,14}$/.test(digits) ? { kind: 'phone', value: `+${digits}`, channel: 'whatsapp' } : undefined;
};

/** The part of an address behind the @. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** Whether a domain is one of the list, or below one of it. */
export const isUnder = (domain: string, list: readonly string[]): boolean =>
  list.some((each) => domain === each.toLowerCase() || domain.endsWith(`.${each.toLowerCase()}`));
