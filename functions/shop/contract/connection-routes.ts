import * as z from 'zod';
import { deleted, paginated, success } from '../../../shared/contract/envelope.ts';
import { paging, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { byId, shopReader } from './product.ts';

/** A store's first import, or a later one, as far as it came. */
const importRecord = z
  .object({
    status: z.enum(['running', 'completed', 'failed']),
    products: z.int(),
    products_total: z.int().nullable(),
    orders: z.int(),
    orders_total: z.int().nullable(),
    failed: z.int().meta({ description: 'Records that could not be read.' }),
    error: z.string().nullable(),
    started_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'StoreImport' });

/** A store of the platform that belongs to the company (S28, extension). No secret is ever shown. */
export const connectionRecord = z
  .object({
    id: z.int(),
    shop: z.string(),
    status: z.enum(['active', 'inactive']),
    scopes: z.array(z.string()),
    currency: z.string().nullable(),
    webhooks_registered_at: timestamp.nullable(),
    import: importRecord.nullable(),
    connected_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'StoreConnection' });
export type ConnectionRecord = z.output<typeof connectionRecord>;

const admin = { kind: 'token', scope: 'shop:write', role: 'admin' } as const;
const anyone = { kind: 'nobody' } as const;

/** The addresses that the platform's own pages lead to; what they say is signed in the query. */
export const installRoutes = {
  startInstallation: route({
    method: 'GET',
    path: '/shop/connect/storeplatform/start',
    summary: "Where the store platform's app surface leads: begins the installation (302 to the platform's consent page)",
    caller: anyone,
    limit: 'public',
    effect: 'write',
    answers: { 302: z.undefined() },
    errors: ['installation_refused'],
  }),
  finishInstallation: route({
    method: 'GET',
    path: '/shop/connect/storeplatform/callback',
    summary: 'Where the consent page leads back: a page to sign in and choose the company',
    caller: anyone,
    limit: 'public',
    effect: 'write',
    answers: { 200: z.string() },
    contentTypes: ['text/html; charset=utf-8'],
    errors: ['installation_refused'],
  }),
  receivePlatformNotice: route({
    method: 'POST',
    path: '/shop/connect/storeplatform/compliance',
    summary: "The app's compliance webhooks, signed with the client secret",
    caller: anyone,
    limit: 'public',
    effect: 'write',
    accepts: ['raw'],
    answers: { 200: z.object({ success: z.literal(true), queued: z.literal(true).optional(), ignored: z.literal(true).optional() }) },
    errors: ['invalid_signature', 'invalid_json'],
  }),
};

export const connectionRoutes = {
  listConnections: route({
    method: 'GET',
    path: '/api/v1/shop/connections',
    summary: 'Stores of the platform that are connected (extension)',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    query: paging(25),
    answers: { 200: paginated(connectionRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  claimConnection: route({
    method: 'POST',
    path: '/api/v1/shop/connections',
    summary: "Make the store that was just approved the company's own: webhooks are registered, products and orders imported (extension)",
    caller: admin,
    limit: 'shop_write',
    effect: 'write',
    body: z.object({ claim: text(100, 1).meta({ description: 'As the page after the consent shows it; valid for an hour.' }) }),
    answers: { 201: success(connectionRecord) },
    errors: ['validation_failed', 'conflict'],
  }),
  getConnection: route({
    method: 'GET',
    path: '/api/v1/shop/connections/{id}',
    summary: 'A connected store with the progress of its import (extension)',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    params: byId,
    answers: { 200: success(connectionRecord) },
    errors: ['not_found'],
  }),
  importConnection: route({
    method: 'POST',
    path: '/api/v1/shop/connections/{id}/import',
    summary: 'Import products and orders again, as after missed webhooks (extension)',
    caller: admin,
    limit: 'shop_write',
    effect: 'write',
    params: byId,
    answers: { 200: success(connectionRecord) },
    errors: ['not_found', 'conflict'],
  }),
  deleteConnection: route({
    method: 'DELETE',
    path: '/api/v1/shop/connections/{id}',
    summary: 'Disconnect a store: its tokens are destroyed, products and orders stay (extension)',
    caller: admin,
    limit: 'shop_write',
    effect: 'write',
    params: byId,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
