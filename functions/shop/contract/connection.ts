import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import type { SecretSpec } from '../../../shared/contract/resource.ts';
import { dueWork } from '../../../shared/events/due.ts';

/**
 * The credentials of our app at the store platform: `{"id":"<client id>","key":"<client secret>","previous":{"any":"<secret before a
 * rotation>"}}`. The operator replaces the generated values by the platform's.
 */
export const platformApp: SecretSpec = {
  kind: 'secret',
  name: 'storeplatform-app',
  purpose: 'The client id (id) and client secret (key) of the app at the store platform',
};

/**
 * STOREPLATFORM_BASE_URL replaces the root of the platform's API (for a simulator or a test); the shop's domain follows as a path.
 */
export const platformSettings = { STOREPLATFORM_BASE_URL: '' };

/** Where the platform posts: the URL of the receivers. */
export const platformUrls = { STOREPLATFORM_RECEIVER_BASE_URL: 'shop-webhook' };

export const importParts = ['products', 'orders'] as const;

export const connectionEntityName = 'shop-connection';

/** Times are epoch milliseconds. Tokens are sealed to their shop's domain. */
export const storedConnection = z.object({
  companyId: z.int(),
  id: z.int(),
  shop: z.string(),
  status: z.enum(['active', 'inactive']),
  scopes: z.array(z.string()),
  sealedAccess: z.string().optional(),
  sealedRefresh: z.string().optional(),
  accessEndsAt: z.int().optional(),
  /** When a worker began to refresh the token. While the lease runs, no other worker refreshes it. */
  refreshingAt: z.int().optional(),
  /** The webhook token of the receiver that the platform posts to. */
  sealedReceiver: z.string().optional(),
  /** Receivers of earlier connections of the store, to be revoked. */
  formerReceivers: z.array(z.string()).optional(),
  currency: z.string().optional(),
  webhooksAt: z.int().optional(),
  import: z
    .object({
      status: z.enum(['running', 'completed', 'failed']),
      part: z.enum(importParts),
      /** The platform's id of the last imported record. The import reads records in the order of their ids. */
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
  /** When the daily maintenance runs next: token refresh and webhook registrations. */
  dueAt: z.int().optional(),
  connectedAt: z.int(),
  rev: z.int(),
  updatedAt: z.int(),
});
export type Connection = z.output<typeof storedConnection>;

const reference = { company_id: z.int(), connection_id: z.int() };

export const connectionsQueue = queue({
  name: 'shop-connections',
  purpose: 'Set-up, daily maintenance, import and end of connected stores, by reference',
  message: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('setup'), ...reference, connected_at_ms: z.int() }),
    z.object({ kind: z.literal('maintain'), ...reference, due_at_ms: z.int() }),
    z.object({ kind: z.literal('disconnect'), ...reference, connected_at_ms: z.int() }),
    z.object({ kind: z.literal('import'), ...reference, slice: z.int(), started_at_ms: z.int() }),
  ]),
  workSeconds: 60,
  maxReceives: 8,
});

/** Due maintenance of a connected store. The reference is `company:connection`. */
export const dueConnection = dueWork({
  name: connectionEntityName,
  purpose: 'Maintenance of a connected store',
  queue: connectionsQueue,
  companyOf: (named) => Number(named.split(':')[0]),
  message: (named, dueAtMs) => {
    const [company_id = 0, connection_id = 0] = named.split(':').map(Number);
    return { kind: 'maintain' as const, company_id, connection_id, due_at_ms: dueAtMs };
  },
});
