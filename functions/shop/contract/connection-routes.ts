import * as z from 'zod';
import { deleted, paginated, success } from '../../../shared/contract/envelope.ts';
import { paging, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { byId, shopReader } from './product.ts';
import { receiverResponse } from './receivers.ts';

/** The progress of a store's first or repeated import. */
const importRecord = z
  .object({
    status: z.enum(['running', 'completed', 'failed']).describe('State of the import.'),
    products: z.int().describe('Number of products imported so far.'),
    products_total: z.int().nullable().describe('Number of products in the store when the import started, or null when unknown.'),
    orders: z.int().describe('Number of orders imported so far.'),
    orders_total: z.int().nullable().describe('Number of orders in the store when the import started, or null when unknown.'),
    failed: z.int().describe('Number of records that could not be read.'),
    error: z.string().nullable().describe('Why the import failed, or null.'),
    started_at: timestamp.describe('When the import started.'),
    finished_at: timestamp.nullable().describe('When the import ended, or null while it runs.'),
  })
  .meta({ id: 'StoreImport', description: "The progress of a store's import." });

/** A connected store of the store platform. Its tokens are never returned. */
export const connectionRecord = z
  .object({
    id: z.int().describe('Id of the connection.'),
    shop: z.string().describe("The store's own domain at Shopify."),
    status: z.enum(['active', 'inactive']).describe('`inactive` after the store was disconnected or the app uninstalled.'),
    scopes: z.array(z.string()).describe('Permissions that the store granted.'),
    currency: z.string().nullable().describe("The store's ISO 4217 currency, or null before the setup."),
    webhooks_registered_at: timestamp.nullable().describe('When the webhooks were last registered, or null before the setup.'),
    import: importRecord.nullable().describe('The last import, or null before the setup.'),
    connected_at: timestamp.describe('When the store was connected.'),
    updated_at: timestamp.describe('When the connection last changed.'),
  })
  .meta({ id: 'StoreConnection', description: 'A connected Shopify store. Its tokens are never returned.' });
export type ConnectionRecord = z.output<typeof connectionRecord>;

const admin = { kind: 'token', scope: 'shop:write', role: 'admin' } as const;
const anyone = { kind: 'public' } as const;

const complianceBody = {
  schema: z
    .looseObject({
      shop_domain: z.string().describe("The store's own domain at Shopify."),
      customer: z
        .looseObject({
          email: z.string().optional().describe("The customer's email."),
          phone: z.string().optional().describe("The customer's phone number."),
        })
        .optional()
        .describe('The customer, except for shop/redact.'),
      orders_requested: z.array(z.int()).optional().describe("Shopify's ids of the orders of a data request."),
      orders_to_redact: z.array(z.int()).optional().describe("Shopify's ids of the orders to redact."),
    })
    .meta({ id: 'ReceivePlatformNoticeRequest', description: 'A compliance webhook of Shopify.' }),
  examples: {
    redact: {
      summary: 'customers/redact',
      value: {
        shop_domain: 'alder-bakery.myshopify.com',
        customer: { email: 'ada@example.com', phone: '+4915123456789' },
        orders_to_redact: [5_012_345],
      },
    },
  },
};

/**
 * The URLs that the platform's pages redirect to, with a query that the platform signs:
 * https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/authorization-code-grant
 */
export const installRoutes = {
  startInstallation: route({
    method: 'GET',
    path: '/shop/connect/storeplatform/start',
    summary: 'Start the installation of the Shopify app',
    description:
      "Shopify opens this URL when a merchant installs the app. It checks the signed query and redirects to Shopify's consent page.",
    caller: anyone,
    limit: 'public',
    effect: 'write',
    answers: { 302: z.undefined() },
    errors: ['installation_refused'],
  }),
  finishInstallation: route({
    method: 'GET',
    path: '/shop/connect/storeplatform/callback',
    summary: 'OAuth callback of the Shopify app',
    description:
      'Shopify redirects the merchant here after the consent. The call redirects to the console, where the merchant signs in and confirms the company that the store shall belong to. A deployment without a console answers with a page that asks for an API token of the company.',
    caller: anyone,
    limit: 'public',
    effect: 'write',
    answers: { 200: z.string(), 302: z.undefined() },
    contentTypes: ['text/html; charset=utf-8'],
    errors: ['installation_refused'],
  }),
  receivePlatformNotice: route({
    method: 'POST',
    path: '/shop/connect/storeplatform/compliance',
    summary: 'Receive a compliance webhook of Shopify',
    description:
      "Shopify posts its compliance webhooks here for all stores: customers/data_request, customers/redact and shop/redact, signed with the app's client secret. Other signed topics are acknowledged and ignored.",
    caller: anyone,
    limit: 'public',
    accepts: ['raw'],
    documents: complianceBody,
    answers: { 200: receiverResponse },
    errors: ['invalid_signature', 'invalid_json'],
  }),
};

export const connectionRoutes = {
  listConnections: route({
    method: 'GET',
    path: '/api/v1/shop/connections',
    summary: 'List connected stores',
    description: 'Returns the Shopify stores that belong to the company, with the progress of their imports.',
    caller: shopReader,
    limit: 'shop_read',
    query: paging(25),
    answers: { 200: paginated(connectionRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  claimConnection: route({
    method: 'POST',
    path: '/api/v1/shop/connections',
    makes: 'receiver',
    summary: 'Connect an approved store',
    description:
      "Makes the store that was just approved the company's own: registers its webhooks and imports its products and orders. A store belongs to one company at a time.",
    caller: admin,
    limit: 'shop_write',
    body: z
      .object({
        claim: text(100, 1).meta({ description: 'The claim that follows the consent. It is valid for an hour.' }),
        shop: text(100, 1)
          .optional()
          .meta({ description: "The store's own domain as it was shown to the user. A claim of another store is refused." }),
      })
      .meta({ id: 'ClaimConnectionRequest' }),
    answers: { 201: success(connectionRecord) },
    refuses: ['proof'],
    errors: ['validation_failed', 'conflict'],
  }),
  getConnection: route({
    method: 'GET',
    path: '/api/v1/shop/connections/{id}',
    summary: 'Get a connected store',
    description: 'Returns one connected store with the progress of its import.',
    caller: shopReader,
    limit: 'shop_read',
    params: byId,
    answers: { 200: success(connectionRecord) },
    errors: ['not_found'],
  }),
  importConnection: route({
    method: 'POST',
    path: '/api/v1/shop/connections/{id}/import',
    summary: 'Import a connected store again',
    description: 'Imports products and orders of the store again, for example after missed webhooks. A running import continues.',
    caller: admin,
    limit: 'shop_write',
    params: byId,
    answers: { 200: success(connectionRecord) },
    errors: ['not_found', 'conflict'],
  }),
  deleteConnection: route({
    method: 'DELETE',
    path: '/api/v1/shop/connections/{id}',
    summary: 'Disconnect a store',
    description:
      'Stops the import of the store. Its webhooks at Shopify are deleted, its receiver is revoked and its tokens are destroyed within seconds. Its products and orders stay.',
    caller: admin,
    limit: 'shop_write',
    params: byId,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
