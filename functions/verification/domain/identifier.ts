import * as z from 'zod';
import type { Channel } from './settings.ts';

/** What is verified: a phone in E.164, an email in lower case, or a provider user id, to which no code can be sent. */
export interface Identifier {
  kind: 'phone' | 'email' | 'user_id';
  value: string;
  /** The channel that reaches it. */
  channel: Channel;
}

/** Parses an identifier; undefined when it is none. A phone has its country code; how callers write it: service/read-identifier.ts. */
export const parseIdentifier = (given: string): Identifier | undefined => {
  const text = given.trim();
  if (text.includes('@')) {
    const value = text.toLowerCase();
    return value.length <= 254 && z.email().safeParse(value).success ? { kind: 'email', value, channel: 'email' } : undefined;
  }
  // a business-scoped user id of the provider, such as US.13491208655302741918
  if (/^[A-Z]{2}(\.ENT)?\.[A-Za-z0-9]{1,128}$/.test(text)) return { kind: 'user_id', value: text, channel: 'whatsapp' };
  if (!/^(\+|00)?[0-9 ().\-/]+$/.test(text)) return undefined;
  const digits = text.replaceAll(/[^0-9]/g, '').replace(/^00/, '');
  return /^[1-9][0-9]{7,14}$/.test(digits) ? { kind: 'phone', value: `+${digits}`, channel: 'whatsapp' } : undefined;
};

/** The domain of an email address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/**
 * The mailbox that receives what is sent to an email address: without a `+tag`, for Gmail also without dots. It says how much one mailbox
 * receives, not who a user is.
 */
export const mailboxOf = (email: string): string => {
  const domain = domainOf(email);
  const [name = ''] = email.slice(0, email.lastIndexOf('@')).split('+');
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGmail ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
};

/** Whether a domain is on the list, or a subdomain of one that is. */
export const isDomainWithin = (domain: string, list: readonly string[]): boolean =>
  list.some((each) => domain === each.toLowerCase() || domain.endsWith(`.${each.toLowerCase()}`));

/** Masked for display: `+49151…67`, `a…@example.org`. */
export const maskIdentifier = ({ kind, value }: Pick<Identifier, 'kind' | 'value'>): string =>
  kind === 'email' ? `${value.slice(0, 1)}…@${domainOf(value)}` : `${value.slice(0, 6)}…${value.slice(-2)}`;
