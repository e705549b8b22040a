import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import type { SecretSpec } from '../../../shared/contract/resource.ts';
import { dueWork } from '../../../shared/events/due.ts';

/**
 * Our app at the store platform: `{"id":"<client id>","key":"<client secret>","previous":{"any":"<secret before a rotation>"}}`. The
 * operator puts the platform's values in place of the generated ones.
 */
export const platformApp: SecretSpec = {
  kind: 'secret',
  name: 'storeplatform-app',
  purpose: 'The client id (id) and client secret (key) of the app at the store platform',
};

/**
 * Another root of the platform's API (the stand-in's, a test's); the shop's domain follows as a path. Empty: https://<shop>. And where the
 * receivers answer: at the receivers' own function URL, whose address is known after the first deployment. Empty: at the API's own domain.
 */
export const platformSettings = { STOREPLATFORM_BASE_URL: '', STOREPLATFORM_RECEIVER_BASE_URL: '', PUBLIC_BASE_URL: '' };

export const importParts = ['products', 'orders'] as const;

export const connectionEntityName = 'shop-connection';

/** Times are epoch milliseconds; secrets are sealed to their shop. */
export const storedConnection = z.object({
  companyId: z.int(),
  id: z.int(),
  shop: z.string(),
  status: z.enum(['active', 'inactive']),
  scopes: z.array(z.string()),
  sealedAccess: z.string().optional(),
  sealedRefresh: z.string().optional(),
  accessEndsAt: z.int().optional(),
  /** Somebody asks for a new token since then: nobody else does. */
  refreshingAt: z.int().optional(),
  /** The token of the receiver that the platform is told to post to. */
  sealedReceiver: z.string().optional(),
  currency: z.string().optional(),
  webhooksAt: z.int().optional(),
  import: z
    .object({
      status: z.enum(['running', 'completed', 'failed']),
      part: z.enum(importParts),
      /** The platform's id of the last record that was taken; records come in the order of their ids. */
      after: z.string(),
      slice: z.int(),
      products: z.int(),
      orders: z.int(),
      productsTotal: z.int().optional(),
      ordersTotal: z.int().optional(),
      failed: z.int(),
      error: z.string().optional(),
      startedAt: z.int(),
      finishedAt: z.int().optional(),
    })
    .optional(),
  /** When it is looked after next: token, webhooks. */
  dueAt: z.int().optional(),
  connectedAt: z.int(),
  rev: z.int(),
  updatedAt: z.int(),
});
export type Connection = z.output<typeof storedConnection>;

const reference = { company_id: z.int(), connection_id: z.int() };

export const connectionsQueue = queue({
  name: 'shop-connections',
  purpose: 'Connected stores: to be set up, looked after daily, imported slice by slice; by reference',
  message: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('setup'), ...reference, connected_at_ms: z.int() }),
    z.object({ kind: z.literal('keep'), ...reference, due_at_ms: z.int() }),
    z.object({ kind: z.literal('import'), ...reference, slice: z.int(), started_at_ms: z.int() }),
  ]),
  workSeconds: 60,
  maxReceives: 8,
});

/** A connected store to be looked after; the reference is `company:connection`. */
export const dueConnection = dueWork({
  name: connectionEntityName,
  purpose: "A connected store's token and webhooks",
  queue: connectionsQueue,
  companyOf: (named) => Number(named.split(':')[0]),
  message: (named, dueAtMs) => {
    const [company_id = 0, connection_id = 0] = named.split(':').map(Number);
    return { kind: 'keep' as const, company_id, connection_id, due_at_ms: dueAtMs };
  },
});
