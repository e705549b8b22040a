import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const privacyRequestEntityName = 'shop-privacy-request';

/** Times are epoch milliseconds. */
export const storedPrivacyRequest = z.object({
  companyId: z.int(),
  /** Made from the day and the delivery: the same request twice is one row, one of a later day another. */
  request: z.string(),
  at: z.int(),
  topic: z.enum(['app/uninstalled', 'customers/data_request', 'customers/redact', 'shop/redact']),
  shop: z.string(),
  email: z.string().optional(),
  phone: z.string().optional(),
  contactId: z.int().optional(),
  orderIds: z.array(z.int()),
  /** When the law wants it done. */
  dueAt: z.int(),
  doneAt: z.int().optional(),
  /** A store's redaction: orders from this id down are still to be done. */
  below: z.int().optional(),
});
export type PrivacyRequest = z.output<typeof storedPrivacyRequest>;

/** What a customer or a store asked for under privacy law (S27, extension). `orders` and `contact_id` lead to what is held. */
export const privacyRequestRecord = z.object({
  topic: z.string(),
  shop: z.string().nullable(),
  customer_email: z.string().nullable(),
  customer_phone: z.string().nullable(),
  contact_id: z.int().nullable(),
  order_ids: z.array(z.int()),
  received_at: timestamp,
  due_at: timestamp,
  done_at: timestamp.nullable(),
});
export type PrivacyRequestRecord = z.output<typeof privacyRequestRecord>;

export const privacyRoutes = {
  listPrivacyRequests: route({
    method: 'GET',
    path: '/api/v1/shop/privacy-requests',
    summary: 'Requests under privacy law, newest first, up to 500: what is held of whom, and what was erased (extension)',
    caller: { kind: 'token', scope: 'shop:read', role: 'admin' },
    limit: 'shop_read',
    effect: 'read',
    answers: { 200: success(z.array(privacyRequestRecord)) },
    errors: [],
  }),
};
