import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, looseBoolean, paging, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { productStatuses, matchStatus } from '../domain/status.ts';
import { amount, currency, isoTimeInput, httpUrl } from './amount.ts';

/** A product on the wire (2§2, S4). */
export const productRecord = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    price: z.string().meta({ description: "Decimal text with the currency's own digits." }),
    compare_at_price: z.number().nullable(),
    currency: z.string(),
    stock_quantity: z.int(),
    inventory: z.int().meta({ description: 'The same as stock_quantity.' }),
    status: z.enum(productStatuses),
    image: z.string().nullable(),
    category_id: z.int().nullable(),
    shop_category_id: z.int().nullable().meta({ description: 'The same as category_id.' }),
    category: z.object({ id: z.int(), name: z.string() }).nullable(),
    external_id: z.string().nullable(),
    external_source: z.string().nullable(),
    sku: z.string().nullable(),
    vendor: z.string().nullable(),
    product_type: z.string().nullable(),
    is_platform_synced: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Product' });
export type ProductRecord = z.output<typeof productRecord>;

export const productStatus = text(20, 1).transform((value, context) => {
  const status = matchStatus(productStatuses, value);
  if (status !== undefined) return status;
  context.addIssue({ code: 'custom', message: `Must be one of ${productStatuses.join(', ')}.` });
  return z.NEVER;
});

const stock = wholeNumber(0, 1_000_000_000);
const cleared = z.literal('').transform(() => null);

const productFields = {
  name: text(255, 1),
  price: amount,
  description: text(65_535).nullish(),
  compare_at_price: z.union([cleared, amount]).nullish(),
  currency: currency.optional(),
  stock_quantity: stock.optional(),
  inventory: stock.optional(),
  status: productStatus.optional(),
  image: z.union([cleared, httpUrl], { error: 'Must be an http or https address.' }).nullish(),
  category_id: id.nullish(),
  shop_category_id: id.nullish(),
  external_id: z.union([cleared, text(191, 1)]).nullish(),
  sku: text(100).nullish(),
};

interface AliasedFields {
  category_id?: number | null | undefined;
  shop_category_id?: number | null | undefined;
  stock_quantity?: number | undefined;
  inventory?: number | undefined;
}

/** Fields with two names may be given by both, if the two agree (S5). */
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

export const productBody = z.object(productFields).superRefine(requireEqualAliases).transform(mergeAliases);
export type ProductBody = z.output<typeof productBody>;

export const productChanges = z
  .object({ ...productFields, name: productFields.name.optional(), price: productFields.price.optional() })
  .superRefine(requireEqualAliases)
  .transform(mergeAliases);
export type ProductChanges = z.output<typeof productChanges>;

/** "All" is honoured up to 500 unless told (S3). */
export const defaultListLimit = 500;
export const maxListLimit = 1_000;

export const productQuery = paging(defaultListLimit, maxListLimit, {
  search: text(255).optional(),
  status: productStatus.optional(),
  category_id: id.optional(),
  external_id: text(191, 1).optional(),
  external_source: text(50, 1).optional(),
  sku: text(100, 1).optional(),
  in_stock: looseBoolean.optional(),
  updated_from: isoTimeInput.optional(),
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
    summary: 'List products, newest first',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    query: productQuery,
    answers: { 200: paginated(productRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createProduct: route({
    method: 'POST',
    ...shopPaths('/products'),
    summary: 'Create a product',
    caller: shopWriter,
    limit: 'shop_write',
    effect: 'write',
    body: productBody,
    answers: { 201: success(productRecord) },
    errors: ['validation_failed', 'conflict'],
  }),
  getProduct: route({
    method: 'GET',
    ...shopPaths('/products/{id}'),
    summary: 'A product',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    params: byId,
    answers: { 200: success(productRecord) },
    errors: ['not_found'],
  }),
  updateProduct: route({
    method: 'PUT',
    ...shopPaths('/products/{id}'),
    summary: 'Change a product; what is not given stays',
    caller: shopWriter,
    limit: 'shop_write',
    effect: 'write',
    params: byId,
    body: productChanges,
    answers: { 200: success(productRecord) },
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
  deleteProduct: route({
    method: 'DELETE',
    ...shopPaths('/products/{id}'),
    summary: 'Delete a product',
    caller: shopWriter,
    limit: 'shop_write',
    effect: 'write',
    params: byId,
    answers: { 204: z.undefined() },
    errors: ['not_found'],
  }),
};
