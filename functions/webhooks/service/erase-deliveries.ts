import { type ErasureSlice, type ErasureSubject, sliceOf } from '../../../shared/contract/erasure.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { mentionsContact } from '../../contacts/contract/mentions.ts';
import { endpointEntityName } from '../contract/queue.ts';
import {
  deleteDelivery,
  deletePendingDelivery,
  type Delivery,
  listAllPendingDeliveries,
  listDeliveriesAfter,
  type PendingDelivery,
} from '../store/delivery.ts';
import { unsealBody } from './sealed-bodies.ts';

/**
 * Deliveries about an erased contact, pending and logged: the log has no list by contact, so all of its thirty days are read, endpoint by
 * endpoint, deleted endpoints too. An event that was not delivered yet never is.
 */
export const deliveriesToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const { companyId } = subject;
  const [endpointId, after] = placeIn(cursor);
  const { lastId } = await getCounter(companyId, endpointEntityName);
  if (endpointId > lastId) return sliceOf([]);
  const { deliveries, isLast } = await listDeliveriesAfter(companyId, endpointId, after);
  const logged = await about(subject, deliveries);
  const pending = after === '' ? await about(subject, await listAllPendingDeliveries(companyId, endpointId)) : [];
  const last = deliveries.at(-1);
  const next = isLast || !last ? `${endpointId + 1}:` : `${endpointId}:${last.eventId}`;
  return sliceOf(
    [...pending.map((each) => () => deletePendingDelivery(each)), ...logged.map((each) => () => deleteDelivery(each))],
    next.startsWith(`${lastId + 1}:`) ? undefined : next,
  );
};

function placeIn(cursor = '1:'): [endpointId: number, afterEventId: string] {
  const at = cursor.indexOf(':');
  return [Number(cursor.slice(0, at)), cursor.slice(at + 1)];
}

async function about<D extends Delivery | PendingDelivery>(subject: ErasureSubject, deliveries: readonly D[]): Promise<D[]> {
  const bodies = await Promise.all(deliveries.map((delivery) => unsealBody(delivery)));
  return deliveries.filter((_, place) => isAbout(subject, bodies[place] ?? ''));
}

function isAbout(subject: ErasureSubject, body: string): boolean {
  const { data } = JSON.parse(body) as { data?: { contact_id?: unknown } };
  return data?.contact_id === subject.contactId || mentionsContact(body, subject);
}
