import { inboundAtOf } from '../domain.ts';
import { getConversations, getSummary } from '../store.ts';

export { serviceWindowOf as windowOf } from '../domain.ts';

/** The time of each contact's last inbound message, epoch milliseconds; contacts that never wrote are left out. 0.5 RRU a contact. */
export const getLastInboundTimes = async (companyId: number, contactIds: readonly number[]): Promise<Map<number, number>> =>
  new Map(
    (await getConversations(companyId, contactIds)).flatMap(({ contactId, lastInboundAt: at }) =>
      at === undefined ? [] : [[contactId, at] as const],
    ),
  );

/**
 * The time of the contact's last message to a number, or to any, epoch milliseconds: it opens the customer service window of contact and
 * number. 0.5 RRU.
 */
export const lastInboundAt = async (companyId: number, contactId: number, numberId?: number): Promise<number | undefined> =>
  inboundAtOf(await getSummary(companyId, contactId), numberId);

/** The number that the contact last wrote to. 0.5 RRU. */
export const lastNumberId = async (companyId: number, contactId: number): Promise<number | undefined> =>
  (await getSummary(companyId, contactId))?.lastNumberId;
