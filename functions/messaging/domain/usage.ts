import { type Used, utcDayOf } from '../../usage/contract/count.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { messageCell, usageCategories, type UsageCategory, type UsageStatus } from '../contract/usage.ts';

/** An outbound message that has an outcome. */
export const usedByMessage = (message: StoredMessage | undefined): Used | undefined => {
  const status = message && !message.inbound ? outcomeOf(message) : undefined;
  if (!message || !status) return undefined;
  const billable = message.pricing?.billable;
  return {
    day: utcDayOf(message.claimedAt ?? message.createdAt),
    cells: { [messageCell(categoryOf(message), status, billable === undefined ? '-' : billable ? 'y' : 'n')]: 1 },
  };
};

/** Whether it was read later is the message's to show: it would be one write more. */
const outcomeOf = ({ status, ambiguous }: StoredMessage): UsageStatus | undefined => {
  if (status === messageStatuses.delivered || status === messageStatuses.read) return 'delivered';
  if (status !== messageStatuses.failed) return undefined;
  return ambiguous ? 'ambiguous' : 'failed';
};

/** Words of the provider are bounded: a row must not grow with what it posts. */
const categoryOf = ({ pricing, template, campaign }: StoredMessage): UsageCategory => {
  if (pricing?.category === undefined) return template || campaign ? 'unknown' : 'service';
  // the provider writes one of them with a hyphen: authentication-international
  const given = pricing.category.toLowerCase().replaceAll('-', '_');
  return usageCategories.find((category) => category === given) ?? 'other';
};
