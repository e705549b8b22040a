import * as z from 'zod';
import { text, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { amount, currency, isoTimeInput, httpUrl } from './amount.ts';
import { productStatus } from './product.ts';

/** The bulk sync of an ERP. */
export const maxRows = 1_000;

const cleared = z.literal('').transform(() => null);

/** One product row. Each row succeeds or fails on its own; omitted fields keep their values. */
export const erpRow = z
  .object({
    external_id: z
      .union([text(191, 1), z.int().transform(String)], { error: 'Must be a string of at most 191 characters.' })
      .describe('Id of the product in the ERP. It identifies the product in every sync.'),
    name: text(255, 1).describe('Name of the product.'),
    description: text(65_535).nullish().describe('Description. Null clears it.'),
    price: amount.optional().describe('Price. A product without one is not public until a row gives it.'),
    compare_at_price: z.union([cleared, amount]).nullish().describe('Former price, shown crossed out. Null clears it.'),
    currency: currency.optional().describe('ISO 4217 currency of the amounts; INR by default.'),
    stock_quantity: wholeNumber(0, 1_000_000_000).optional().describe('Number of pieces in stock.'),
    status: productStatus.optional().describe('Only active products are public. A new product is active by default.'),
    image: z.union([cleared, httpUrl], { error: 'Must be an http or https URL.' }).nullish().describe('URL of an image. Null clears it.'),
    sku: text(100).nullish().describe('Stock keeping unit. Null clears it.'),
    updated_at: isoTimeInput.optional().describe('When the ERP changed the product. A row older than the last one changes nothing.'),
  })
  .meta({ id: 'ErpProduct', description: 'A product row of an ERP. Omitted fields keep their values.' });
export type ErpRow = z.output<typeof erpRow>;

export const syncResult = z
  .object({
    synced: z.int().describe('Number of rows that were created, updated or unchanged.'),
    created: z.int().describe('Number of new products.'),
    updated: z.int().describe('Number of changed products.'),
    unchanged: z.int().describe('Number of products that were equal already.'),
    failed: z.int().describe('Number of rejected rows.'),
    errors: z
      .array(
        z.object({
          index: z.int().describe('Position of the row in the request, from 0.'),
          external_id: z.string().nullable().describe("The row's external id, or null when it has none."),
          errors: z.record(z.string(), z.array(z.string())).describe('Reasons by field.'),
        }),
      )
      .describe('The rejected rows.'),
  })
  .meta({ id: 'ErpSyncResult', description: 'The result of a product sync.' });
export type ErpSyncResult = z.output<typeof syncResult>;

const rowsOf = <S extends z.ZodType>(row: S) =>
  z
    .array(row, { error: 'Must be an array of products.' })
    .min(1, { error: 'Must have at least one product.' })
    .max(maxRows, { error: `Must have at most ${maxRows} products.` });

/** The body as it is documented: the route takes it apart, and each row succeeds or fails by itself. */
const documentedRows = z
  .object({ products: rowsOf(erpRow).meta({ description: 'The products. Each succeeds or fails on its own.' }) })
  .meta({ id: 'SyncErpRequest' });

const exampleRows = {
  products: [{ external_id: 'CAN-12', name: 'Watering can', price: '19.90', currency: 'EUR', stock_quantity: 12 }],
};

export const erpRoutes = {
  syncErp: route({
    method: 'POST',
    path: '/api/shop/erp/sync',
    aliases: ['/shop/erp/sync'],
    summary: 'Sync products of an ERP',
    description:
      'Creates or updates up to 1,000 products by their external ids; batches of 100 to 500 are recommended. Each row succeeds or fails on its own, and omitted fields keep their values. The response lists the rejected rows; it is 422 when no row could be synced.',
    caller: { kind: 'erp_token' },
    problemFormat: 'erp',
    limit: 'erp',
    body: z.object({ products: rowsOf(z.unknown()) }),
    documents: { schema: documentedRows, examples: { products: { summary: 'A product with its price and stock', value: exampleRows } } },
    answers: { 200: z.object({ success: z.literal(true), message: z.string(), data: syncResult }) },
    errors: ['validation_failed'],
  }),
};
