import { dayMs } from '../../../shared/runtime/clock.ts';
import type { Contact } from './stored.ts';

/** Why a campaign excludes a contact (A20). The first reason in this order counts. */
export const exclusions = [
  'invalid_phone',
  'duplicate_phone',
  'blocked',
  'opted_out',
  'unsubscribed',
  'marketing_blocked',
  'known_not_on_whatsapp',
] as const;
export type Exclusion = (typeof exclusions)[number];

/** What of a contact decides whether it receives messages, beside its phone. */
export interface EligibilityFacts extends Pick<Contact, 'subscribed' | 'marketingBlocked' | 'notOnWhatsappAt' | 'isBlocked'> {
  consent?: { source: string };
}

/** Why a contact with a unique, valid phone receives no marketing messages. */
export const exclusionReason = (
  contact: EligibilityFacts,
  now: number,
): Exclude<Exclusion, 'invalid_phone' | 'duplicate_phone'> | undefined => {
  if (isContactBlocked(contact)) return 'blocked';
  if (!contact.subscribed) return hasOptedOut(contact) ? 'opted_out' : 'unsubscribed';
  if (contact.marketingBlocked) return 'marketing_blocked';
  return isKnownNotOnWhatsapp(contact, now) ? 'known_not_on_whatsapp' : undefined;
};

/** Whether nothing at all is sent to a contact, whatever the kind of message: the company blocked it. */
export const isContactBlocked = (contact: Pick<Contact, 'isBlocked'>): boolean => contact.isBlocked === true;

/** Whether the recipient opted out. Sources `api` and `import` are the company's own changes, all others the recipient's. */
const hasOptedOut = ({ consent }: EligibilityFacts): boolean => consent !== undefined && !companySources.has(consent.source);

const companySources: ReadonlySet<string> = new Set(['api', 'import']);

/** How long a verdict about a phone is valid (A17). */
export const verdictLifetimeMs = (exists: boolean): number => (exists ? 30 : 7) * dayMs;

/** Whether the phone is known not to be on WhatsApp. Once the verdict expires, sends are tried again. */
export const isKnownNotOnWhatsapp = ({ notOnWhatsappAt }: { notOnWhatsappAt?: number }, now: number): boolean =>
  notOnWhatsappAt !== undefined && now - notOnWhatsappAt < verdictLifetimeMs(false);
