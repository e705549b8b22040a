import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { readHead } from '../../../shared/table/head.ts';
import type { PrivacyRequest, PrivacyRequestRecord } from '../contract/privacy.ts';
import { orderEntityName } from '../contract/stored.ts';
import { readOrders } from '../store/order.ts';
import { advanceRequest, findRequest, listRequests } from '../store/privacy.ts';
import { redactOrder } from './privacy.ts';

/** Requests under privacy law, newest first. */
export const privacyRequests = async (companyId: number): Promise<PrivacyRequestRecord[]> => (await listRequests(companyId)).map(shown);

/** One slice of a store's redaction: its orders below an id, newest first; the next slice follows from the row's change. */
export const redactSlice = async (companyId: number, request: string, below: number): Promise<void> => {
  const seenRequest = await findRequest({ companyId, request });
  if (seenRequest?.below !== below) return;
  const { lastId } = await readHead(companyId, orderEntityName);
  const from = Math.min(below, lastId + 1);
  const ids: number[] = [];
  let seen = 0;
  let lowest = from;
  await readOrders(companyId, from, ordersASlice, ({ id, source, redactedAt }) => {
    lowest = id;
    if (source === 'storeplatform' && redactedAt === undefined) ids.push(id);
    return ++seen < ordersASlice;
  });
  for (let start = 0; start < ids.length; start += 8)
    await Promise.all(ids.slice(start, start + 8).map((id) => redactOrder(companyId, id)));
  const isDone = seen < ordersASlice;
  await advanceRequest(seenRequest, isDone ? { ...seenRequest, below: 0, doneAt: now() } : { ...seenRequest, below: lowest });
};

const ordersASlice = 256;

const shown = (request: PrivacyRequest): PrivacyRequestRecord => ({
  topic: request.topic,
  shop: request.shop || null,
  customer_email: request.email ?? null,
  customer_phone: request.phone ?? null,
  contact_id: request.contactId ?? null,
  order_ids: request.orderIds,
  received_at: isoTime(request.at),
  due_at: isoTime(request.dueAt),
  done_at: request.doneAt === undefined ? null : isoTime(request.doneAt),
});
