import * as z from 'zod';
import { text, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { amount, currency, isoTimeInput, httpUrl } from './amount.ts';
import { productStatus } from './product.ts';

/** The ERP's bulk sync (2§4, S14). */
export const maxRows = 1_000;

const cleared = z.literal('').transform(() => null);

/** One row; each is judged alone. Keys not given stay as they are. */
export const erpRow = z
  .object({
    external_id: z.union([text(191, 1), z.int().transform(String)], { error: 'Must be a text of at most 191 characters.' }),
    name: text(255, 1),
    description: text(65_535).nullish(),
    price: amount.optional(),
    compare_at_price: z.union([cleared, amount]).nullish(),
    currency: currency.optional(),
    stock_quantity: wholeNumber(0, 1_000_000_000).optional(),
    status: productStatus.optional(),
    image: z.union([cleared, httpUrl], { error: 'Must be an http or https address.' }).nullish(),
    sku: text(100).nullish(),
    updated_at: isoTimeInput.optional(),
  })
  .meta({ id: 'ErpProduct' });
export type ErpRow = z.output<typeof erpRow>;

export const syncResult = z
  .object({
    synced: z.int(),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    errors: z.array(z.object({ index: z.int(), external_id: z.string().nullable(), errors: z.record(z.string(), z.array(z.string())) })),
  })
  .meta({ id: 'ErpSyncResult' });
export type SyncResult = z.output<typeof syncResult>;

export const erpRoutes = {
  syncErp: route({
    method: 'POST',
    path: '/api/shop/erp/sync',
    aliases: ['/shop/erp/sync'],
    summary: 'Create and update up to 1,000 products of an ERP; batches of 100 to 500 are advised',
    caller: { kind: 'erp_token' },
    problemFormat: 'erp',
    limit: 'erp',
    effect: 'write',
    body: z.object({
      products: z
        .array(z.unknown(), { error: 'Must be a list of products.' })
        .min(1, { error: 'Must have at least one product.' })
        .max(maxRows, { error: `Must have at most ${maxRows} products.` })
        .meta({
          description:
            'external_id and name; price for a new product; description, compare_at_price, currency, stock_quantity, status, image, sku, updated_at.',
        }),
    }),
    answers: { 200: z.object({ success: z.literal(true), message: z.string(), data: syncResult }) },
    errors: ['validation_failed'],
  }),
};
