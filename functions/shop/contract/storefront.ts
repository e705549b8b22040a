import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, paging, pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { defaultListLimit, maxListLimit } from './product.ts';

/** The public storefront: the fields that are visible without a token. */
export const publicCategory = z
  .object({
    id: z.int().describe('Id of the category.'),
    name: z.string().describe('Name of the category.'),
    slug: z.string().describe('Name of the category in URLs.'),
    description: z.string().nullable().describe('Description, or null.'),
    image: z.string().nullable().describe('URL of an image, or null.'),
  })
  .meta({ id: 'PublicCategory', description: 'A category in the public storefront.' });
export type PublicCategory = z.output<typeof publicCategory>;

export const publicProduct = z
  .object({
    id: z.int().describe('Id of the product.'),
    name: z.string().describe('Name of the product.'),
    description: z.string().nullable().describe('Description, or null.'),
    price: z.string().describe("Decimal text with the currency's number of digits."),
    compare_at_price: z.number().nullable().describe('Former price, shown crossed out, or null.'),
    currency: z.string().describe('ISO 4217 currency of the amounts.'),
    in_stock: z.boolean().describe('Whether at least one piece is in stock.'),
    image: z.string().nullable().describe('URL of an image, or null.'),
    category_id: z.int().nullable().describe('Id of the category, or null.'),
  })
  .meta({ id: 'PublicProduct', description: 'A product in the public storefront.' });
export type PublicProduct = z.output<typeof publicProduct>;

/** Responses may be cached for a minute, and served for five more while a fresh copy is fetched. */
export const publicCache = 'public, max-age=60, stale-while-revalidate=300';

const anyone = { kind: 'public' } as const;
const ofCompany = z.object({ company_id: pathId });

/** Small pages: a call without a token reads little, and a web page shows no more. */
export const publicProductQuery = paging(50, 100, {
  search: text(255).optional().describe('Text in the name, SKU or external id.'),
  category_id: id.optional().describe('Only products of this category.'),
});
export type PublicProductQuery = z.output<typeof publicProductQuery>;

export const storefrontRoutes = {
  listPublicCategories: route({
    method: 'GET',
    path: '/shop/{company_id}/categories',
    summary: 'List the public categories of a shop',
    description: 'Returns the categories of a shop without a token, for its web page. Responses may be cached for a minute.',
    caller: anyone,
    limit: 'storefront',
    params: ofCompany,
    query: paging(defaultListLimit, maxListLimit, { search: text(255).optional().describe('Text in the name or slug.') }),
    answers: { 200: paginated(publicCategory) },
    errors: ['not_found', 'validation_failed', 'invalid_cursor'],
  }),
  listPublicProducts: route({
    method: 'GET',
    path: '/shop/{company_id}/products',
    summary: 'List the public products of a shop',
    description:
      'Returns the active products of a shop without a token, for its web page. Products of a connected store are not among them, because the store sells them itself. A page may be short where few of many products are public: follow `meta.next_cursor` until it is null. Responses may be cached for a minute.',
    caller: anyone,
    limit: 'storefront',
    params: ofCompany,
    query: publicProductQuery,
    answers: { 200: paginated(publicProduct) },
    errors: ['not_found', 'validation_failed', 'invalid_cursor'],
  }),
  getPublicProduct: route({
    method: 'GET',
    path: '/shop/{company_id}/products/{id}',
    summary: 'Get a public product of a shop',
    description: 'Returns one active product of a shop without a token. Responses may be cached for a minute.',
    caller: anyone,
    limit: 'storefront',
    params: ofCompany.extend({ id: pathId }),
    answers: { 200: success(publicProduct) },
    errors: ['not_found'],
  }),
};
