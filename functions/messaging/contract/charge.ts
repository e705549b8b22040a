import { pricedCountry } from '../../spend/contract/recipient.ts';
import type { Charge, ChargeType } from '../../usage/contract/charges.ts';
import { messageStatuses, type StoredMessage } from './stored.ts';
import { usageCategories, type UsageCategory } from './usage.ts';

/**
 * How the provider charges an outbound message that was delivered; undefined: it charges nothing. The provider decides by type and category,
 * and names both in its statuses: what it does not name is unknown, never free.
 */
export const chargeOf = (message: StoredMessage): Charge | undefined => {
  const isDelivered = message.status === messageStatuses.delivered || message.status === messageStatuses.read;
  if (message.inbound || !isDelivered) return undefined;
  const type = chargeTypeOf(message);
  const cost = type === 'posted' ? message.pricing?.cost : undefined;
  return { category: chargedCategory(message), type, country: pricedCountry(message), ...(cost ? { posted: cost } : {}) };
};

/** `billable` is being retired: it decides where the type is absent. https://developers.facebook.com/documentation/business-messaging/whatsapp/pricing */
const chargeTypeOf = ({ pricing }: StoredMessage): ChargeType => {
  if (!pricing) return 'unknown';
  const { type, billable, cost } = pricing;
  const given = type?.toLowerCase() ?? (billable === undefined ? '' : billable ? 'regular' : 'free_');
  if (given.startsWith('free_')) return 'free';
  if (cost) return 'posted';
  return given === 'regular' ? 'regular' : 'unknown';
};

/** Words of the provider are bounded: a row must not grow with what it posts. */
export const chargedCategory = ({ pricing, template, campaign }: StoredMessage): UsageCategory => {
  if (pricing?.category === undefined) return template || campaign ? 'unknown' : 'service';
  // the provider writes one of them with a hyphen: authentication-international
  const given = pricing.category.toLowerCase().replaceAll('-', '_');
  return usageCategories.find((category) => category === given) ?? 'other';
};
