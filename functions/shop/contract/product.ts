import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { besideFields, id, looseBoolean, paging, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { productStatuses, matchStatus } from '../domain/status.ts';
import { amount, currency, isoTimeInput, httpUrl } from './amount.ts';

/** A product in the API. */
export const productRecord = z
  .object({
    id: z.int().describe('Id of the product.'),
    name: z.string().describe('Name of the product.'),
    description: z.string().nullable().describe('Description, or null.'),
    price: z.string().nullable().describe("Decimal text with the currency's number of digits; null while its source names none."),
    compare_at_price: z.number().nullable().describe('Former price, shown crossed out, or null.'),
    currency: z.string().describe('ISO 4217 currency of the amounts.'),
    stock_quantity: z.int().describe('Number of pieces in stock.'),
    inventory: z.int().describe('The same as stock_quantity.'),
    stock_counted: z.boolean().describe('False when the source does not count its pieces: it is in stock.'),
    status: z.enum(productStatuses).describe('Only active products are public.'),
    image: z.string().nullable().describe('URL of an image, or null.'),
    category_id: z.int().nullable().describe('Id of the category, or null.'),
    shop_category_id: z.int().nullable().describe('The same as category_id.'),
    category: z
      .object({ id: z.int().describe('Id of the category.'), name: z.string().describe('Name of the category.') })
      .nullable()
      .describe('The category, or null.'),
    external_id: z.string().nullable().describe('Id of the product in its source, or null.'),
    external_source: z.string().nullable().describe('Where the product comes from, or null when it was created through the API.'),
    sku: z.string().nullable().describe('Stock keeping unit, or null.'),
    vendor: z.string().nullable().describe('Vendor, as a connected store names it, or null.'),
    product_type: z.string().nullable().describe('Type, as a connected store names it, or null.'),
    is_platform_synced: z.boolean().describe('Whether a connected store sells the product, through its own checkout only.'),
    created_at: timestamp.describe('When the product was created.'),
    updated_at: timestamp.describe('When the product last changed.'),
  })
  .meta({ id: 'Product', description: 'A product of the catalog.' });
export type ProductRecord = z.output<typeof productRecord>;

/** In any case; the reference shows the one that answers have. */
export const productStatus = text(20, 1)
  .transform((value, context) => {
    const status = matchStatus(productStatuses, value);
    if (status !== undefined) return status;
    context.addIssue({ code: 'custom', message: `Must be one of ${productStatuses.join(', ')}.` });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', enum: [...productStatuses] } });

const stock = wholeNumber(0, 1_000_000_000);
const cleared = z.literal('').transform(() => null);

const productFields = {
  name: text(255, 1).describe('Name of the product.'),
  price: amount.describe('Price of one piece.'),
  description: text(65_535).nullish().describe('Description. Null clears it.'),
  compare_at_price: z.union([cleared, amount]).nullish().describe('Former price, shown crossed out. Null clears it.'),
  currency: currency.optional().describe('ISO 4217 currency of the amounts; INR by default.'),
  stock_quantity: stock.optional().describe('Number of pieces in stock; 0 by default.'),
  inventory: stock.optional().describe('The same as stock_quantity.'),
  status: productStatus.optional().describe('Only active products are public. Active by default.'),
  image: z.union([cleared, httpUrl], { error: 'Must be an http or https URL.' }).nullish().describe('URL of an image. Null clears it.'),
  category_id: id.nullish().describe('Id of the category. Null clears it.'),
  shop_category_id: id.nullish().describe('The same as category_id.'),
  external_id: z
    .union([cleared, text(191, 1)])
    .nullish()
    .describe('Your id of the product, unique in the shop. Null clears it.'),
  sku: text(100).nullish().describe('Stock keeping unit. Null clears it.'),
};

interface AliasedFields {
  category_id?: number | null | undefined;
  shop_category_id?: number | null | undefined;
  stock_quantity?: number | undefined;
  inventory?: number | undefined;
}

/** Two names of one field may both be given when their values are equal. */
const requireEqualAliases = (body: AliasedFields, context: z.core.$RefinementCtx): void => {
  for (const [one, other] of [
    ['category_id', 'shop_category_id'],
    ['stock_quantity', 'inventory'],
  ] as const)
    if (body[one] !== undefined && body[other] !== undefined && body[one] !== body[other])
      context.addIssue({ code: 'custom', path: [other], message: `Must be the same as ${one}.` });
};

const mergeAliases = <T extends AliasedFields>({ shop_category_id, inventory, ...body }: T) => ({
  ...body,
  category_id: body.category_id === undefined ? shop_category_id : body.category_id,
  stock_quantity: body.stock_quantity === undefined ? inventory : body.stock_quantity,
});

export const productBody = z.object(productFields).superRefine(requireEqualAliases, besideFields).transform(mergeAliases);
export type ProductBody = z.output<typeof productBody>;

export const productChanges = z
  .object({ ...productFields, name: productFields.name.optional(), price: productFields.price.optional() })
  .superRefine(requireEqualAliases, besideFields)
  .transform(mergeAliases);
export type ProductChanges = z.output<typeof productChanges>;

/** A list returns up to 500 records by default; `links.next` says when there are more. */
export const defaultListLimit = 500;
export const maxListLimit = 1_000;

export const productQuery = paging(defaultListLimit, maxListLimit, {
  search: text(255).optional().describe('Text in the name, SKU or external id.'),
  status: productStatus.optional().describe('Only products with this status.'),
  category_id: id.optional().describe('Only products of this category.'),
  external_id: text(191, 1).optional().describe('Only products with this external id.'),
  external_source: text(50, 1).optional().describe('Only products of this source, for example erp.'),
  sku: text(100, 1).optional().describe('Only products with this SKU.'),
  in_stock: looseBoolean.optional().describe('Only products in stock (1), or out of stock (0).'),
  updated_from: isoTimeInput.optional().describe('Only products changed at this time or later.'),
});
export type ProductQuery = z.output<typeof productQuery>;

export const shopReader = { kind: 'token', scope: 'shop:read', role: 'viewer' } as const;
export const shopWriter = { kind: 'token', scope: 'shop:write', role: 'member' } as const;
export const shopPaths = <P extends string>(path: P) => ({ path: `/api/v1/shop${path}` as const, aliases: [`/v1/shop${path}` as const] });
export const byId = z.object({ id: pathId });

export const productRoutes = {
  listProducts: route({
    method: 'GET',
    ...shopPaths('/products'),
    summary: 'List products',
    description:
      'Returns products, newest first, also inactive ones. Filters can be combined. Page with `cursor` for large catalogs: page numbers reach the first 10,000 records, and a filter that few products match may give short pages.',
    caller: shopReader,
    limit: 'shop_read',
    query: productQuery,
    answers: { 200: paginated(productRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createProduct: route({
    method: 'POST',
    ...shopPaths('/products'),
    summary: 'Create a product',
    description:
      'Adds a product to the catalog. The price is a decimal number or string in the given currency. An `external_id` is unique in the shop.',
    caller: shopWriter,
    limit: 'shop_write',
    body: productBody.meta({ id: 'CreateProductRequest' }),
    answers: { 201: success(productRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'conflict'],
  }),
  getProduct: route({
    method: 'GET',
    ...shopPaths('/products/{id}'),
    summary: 'Get a product',
    description: 'Returns one product with its category.',
    caller: shopReader,
    limit: 'shop_read',
    params: byId,
    answers: { 200: success(productRecord) },
    errors: ['not_found'],
  }),
  updateProduct: route({
    method: 'PUT',
    ...shopPaths('/products/{id}'),
    summary: 'Update a product',
    description:
      'Changes the given fields; omitted fields keep their values and null clears a field. The `external_id` of a product from an ERP or a connected store cannot change.',
    caller: shopWriter,
    limit: 'shop_write',
    params: byId,
    body: productChanges.meta({ id: 'UpdateProductRequest' }),
    answers: { 200: success(productRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
  deleteProduct: route({
    method: 'DELETE',
    ...shopPaths('/products/{id}'),
    summary: 'Delete a product',
    description: 'Removes a product from the catalog. A later ERP sync of the same external id restores it under its id.',
    caller: shopWriter,
    limit: 'shop_write',
    params: byId,
    answers: { 204: z.undefined() },
    errors: ['not_found'],
  }),
};
