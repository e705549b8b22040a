import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { dueWork } from '../../../shared/events/due.ts';
import { orderStatuses } from '../domain/status.ts';
import { cartEntityName } from './stored.ts';

const company_id = z.int();

/** Work that follows from orders and carts. Messages carry references, not payloads. */
export const followUpsQueue = queue({
  name: 'shop-followups',
  purpose: 'Follow-up of orders (carts, notifications), due carts and redactions, by reference',
  message: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('order'), company_id, order_id: z.int(), status: z.enum(orderStatuses), is_new: z.boolean() }),
    z.object({ kind: z.literal('redact'), company_id, request: z.string(), below: z.int() }),
    z.object({ kind: z.literal('cart'), company_id, cart_key: z.string(), due_at_ms: z.int() }),
  ]),
  workSeconds: 30,
  maxReceives: 8,
});

/** A cart whose timer is due. The reference is `company:cart`. */
export const dueCart = dueWork({
  name: cartEntityName,
  purpose: 'A cart whose timer is due',
  queue: followUpsQueue,
  companyOf: (reference) => Number(reference.split(':')[0]),
  message: (reference, dueAtMs) => {
    const [company = '', cart_key = ''] = reference.split(':');
    return { kind: 'cart' as const, company_id: Number(company), cart_key, due_at_ms: dueAtMs };
  },
});
