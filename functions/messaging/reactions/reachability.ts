import { reaction, reactionList } from '../../../shared/events/react.ts';
import { phoneMissed, phoneSeen } from '../../contacts/contract/evidence.ts';
import { reachabilityQueue } from '../../contacts/contract/phone-check.ts';
import { messageKind, messageStatuses, type StoredMessage } from '../contract/stored.ts';

/** What outbound messages prove of their phones: at the first sign of delivery, and when the provider cannot deliver. */
export const reachabilityReactions = reactionList({ sendsTo: [reachabilityQueue] }, [
  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    if (after?.phone === undefined || after.inbound) return [];
    const { companyId, contactId, phone } = after;
    const at = after.deliveredAt ?? after.readAt;
    if (at !== undefined && before?.deliveredAt === undefined && before?.readAt === undefined) return [phoneSeen(companyId, phone, at)];
    return isUndeliverable(after) && !isUndeliverable(before)
      ? [phoneMissed(companyId, contactId, phone, after.failedAt ?? after.updatedAt)]
      : [];
  }),
]);

/** The provider's code of a message that it cannot deliver. */
const undeliverableCode = 131026;

const isUndeliverable = (seen: StoredMessage | undefined): boolean =>
  seen?.status === messageStatuses.failed && Number(seen.error?.code) === undeliverableCode;
