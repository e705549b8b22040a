import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { noticeTopics } from './platform-event.ts';

export const privacyRequestEntityName = 'shop-privacy-request';

/** Times are epoch milliseconds. */
export const storedPrivacyRequest = z.object({
  companyId: z.int(),
  /** Derived from the day and the delivery: a repeated delivery is the same row, the same request on a later day is another. */
  request: z.string(),
  at: z.int(),
  topic: z.enum(noticeTopics),
  shop: z.string(),
  connectionId: z.int(),
  email: z.string().optional(),
  phone: z.string().optional(),
  contactId: z.int().optional(),
  orderIds: z.array(z.int()),
  /** The legal deadline. */
  dueAt: z.int(),
  doneAt: z.int().optional(),
  /** The redaction of a store has yet to process the orders below this id. */
  below: z.int().optional(),
});
export type PrivacyRequest = z.output<typeof storedPrivacyRequest>;

/** A request under privacy law, as the platform forwarded it. `order_ids` and `contact_id` name the data held. */
export const privacyRequestRecord = z
  .object({
    topic: z.string().describe("Shopify's topic: customers/data_request, customers/redact or shop/redact."),
    shop: z.string().nullable().describe("The store's domain, or null."),
    customer_email: z.string().nullable().describe('Email of the customer, or null after a redaction.'),
    customer_phone: z.string().nullable().describe('Phone number of the customer, or null after a redaction.'),
    contact_id: z.int().nullable().describe("Id of the customer's contact, or null when there was none."),
    order_ids: z.array(z.int()).describe("Ids of the customer's orders."),
    received_at: timestamp.describe('When the request was made.'),
    due_at: timestamp.describe('The legal deadline.'),
    done_at: timestamp.nullable().describe('When the data was erased, or null.'),
  })
  .meta({ id: 'PrivacyRequest', description: 'A request under privacy law.' });
export type PrivacyRequestRecord = z.output<typeof privacyRequestRecord>;

export const privacyRoutes = {
  listPrivacyRequests: route({
    method: 'GET',
    path: '/api/v1/shop/privacy-requests',
    summary: 'List privacy requests',
    description:
      'Returns up to 500 requests under privacy law (GDPR, CCPA) that Shopify forwarded, newest first: which data is held for a data request, and what a redaction erased.',
    caller: { kind: 'token', scope: 'shop:read', role: 'admin' },
    limit: 'shop_read',
    answers: { 200: success(z.array(privacyRequestRecord)) },
    errors: [],
  }),
};
