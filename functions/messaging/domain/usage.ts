import { chargeCells, type ChargeOrigin, freedCell } from '../../usage/contract/charges.ts';
import { type Used, utcDayOf } from '../../usage/contract/count.ts';
import { chargedCategory, chargeOf } from '../contract/charge.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { freedOf } from '../contract/freed.ts';
import { messageCell, type UsageStatus } from '../contract/usage.ts';

/** An outbound message that has an outcome. */
export const usedByMessage = (message: StoredMessage | undefined): Used | undefined => {
  const status = message && !message.inbound ? outcomeOf(message) : undefined;
  if (!message || !status) return undefined;
  const billable = message.pricing?.billable;
  const charge = chargeOf(message);
  return {
    day: utcDayOf(message.claimedAt ?? message.createdAt),
    cells: {
      [messageCell(chargedCategory(message), status, billable === undefined ? '-' : billable ? 'y' : 'n')]: 1,
      ...(charge ? chargeCells(charge, message.numberId, originOf(message)) : {}),
    },
  };
};

/** What goes back to the ceilings of the company, on the days on which it was taken. */
export const freedByMessage = (message: StoredMessage | undefined): Used[] =>
  (message ? freedOf(message) : []).flatMap(({ company, micros }) => {
    const [began, day] = company?.of.split(':') ?? [];
    if (!company || day === undefined || micros.company === 0) return [];
    const cell = freedCell({ began: Number(began), kind: company.isCode ? 'code' : 'other' });
    return [{ day, cells: { [cell]: micros.company } }];
  });

/** Whether it was read later is the message's to show: it would be one write more. */
const outcomeOf = ({ status, ambiguous }: StoredMessage): UsageStatus | undefined => {
  if (status === messageStatuses.delivered || status === messageStatuses.read) return 'delivered';
  if (status !== messageStatuses.failed) return undefined;
  return ambiguous ? 'ambiguous' : 'failed';
};

/** What caused it: its campaign, else the token of a call. */
const originOf = ({ campaign, sentBy }: StoredMessage): ChargeOrigin => {
  if (campaign) return { campaignId: campaign.id };
  return sentBy?.tokenId === undefined ? undefined : { tokenId: sentBy.tokenId };
};
