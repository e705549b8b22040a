import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, paging, pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { defaultListLimit, maxListLimit } from './product.ts';

/** What everybody may see of a shop (S9). */
export const publicCategory = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  image: z.string().nullable(),
});
export type PublicCategory = z.output<typeof publicCategory>;

export const publicProduct = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  price: z.string(),
  compare_at_price: z.number().nullable(),
  currency: z.string(),
  in_stock: z.boolean(),
  image: z.string().nullable(),
  category_id: z.int().nullable(),
});
export type PublicProduct = z.output<typeof publicProduct>;

/** Copies may be a minute old, and five more while a fresh one is fetched. */
export const publicCache = 'public, max-age=60, stale-while-revalidate=300';

const anyone = { kind: 'nobody' } as const;
const ofCompany = z.object({ company_id: pathId });

export const publicProductQuery = paging(defaultListLimit, maxListLimit, { search: text(255).optional(), category_id: id.optional() });
export type PublicProductQuery = z.output<typeof publicProductQuery>;

export const storefrontRoutes = {
  listPublicCategories: route({
    method: 'GET',
    path: '/shop/{company_id}/categories',
    summary: "A shop's categories, for everybody",
    caller: anyone,
    limit: 'storefront',
    effect: 'read',
    params: ofCompany,
    query: paging(defaultListLimit, maxListLimit, { search: text(255).optional() }),
    answers: { 200: paginated(publicCategory) },
    errors: ['not_found', 'validation_failed', 'invalid_cursor'],
  }),
  listPublicProducts: route({
    method: 'GET',
    path: '/shop/{company_id}/products',
    summary: "A shop's active products, for everybody; what a store platform sells is not among them",
    caller: anyone,
    limit: 'storefront',
    effect: 'read',
    params: ofCompany,
    query: publicProductQuery,
    answers: { 200: paginated(publicProduct) },
    errors: ['not_found', 'validation_failed', 'invalid_cursor'],
  }),
  getPublicProduct: route({
    method: 'GET',
    path: '/shop/{company_id}/products/{id}',
    summary: 'An active product of a shop, for everybody',
    caller: anyone,
    limit: 'storefront',
    effect: 'read',
    params: ofCompany.extend({ id: pathId }),
    answers: { 200: success(publicProduct) },
    errors: ['not_found'],
  }),
};
