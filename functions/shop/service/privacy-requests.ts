import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import type { PrivacyRequest, PrivacyRequestRecord } from '../contract/privacy.ts';
import { orderEntityName } from '../contract/stored.ts';
import { listOrdersBelow } from '../store/order.ts';
import { updatePrivacyRequest, getPrivacyRequest, listPrivacyRequestRows } from '../store/privacy.ts';
import { redactOrder } from './redact-order.ts';

/** Requests under privacy law, newest first. */
export const listPrivacyRequests = async (companyId: number): Promise<PrivacyRequestRecord[]> =>
  (await listPrivacyRequestRows(companyId)).map(privacyRequestRecord);

/** Redacts one slice of a store's orders, newest first. The change of the row starts the next slice. */
export const redactOrderSlice = async (companyId: number, request: string, below: number): Promise<void> => {
  const seenRequest = await getPrivacyRequest({ companyId, request });
  if (seenRequest?.below !== below) return;
  const { lastId } = await getCounter(companyId, orderEntityName);
  const from = Math.min(below, lastId + 1);
  const { records, below: lowest } = await listOrdersBelow(companyId, from, ordersPerSlice);
  const ids = records.flatMap(({ id, connectionId, redactedAt }) =>
    connectionId === seenRequest.connectionId && redactedAt === undefined ? [id] : [],
  );
  for (let start = 0; start < ids.length; start += 8)
    await Promise.all(ids.slice(start, start + 8).map((id) => redactOrder(companyId, id)));
  const isDone = lowest <= 1;
  await updatePrivacyRequest(seenRequest, isDone ? { ...seenRequest, below: 0, doneAt: now() } : { ...seenRequest, below: lowest });
};

const ordersPerSlice = 256;

const privacyRequestRecord = (request: PrivacyRequest): PrivacyRequestRecord => ({
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
