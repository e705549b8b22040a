import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { paging, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { httpUrl } from './amount.ts';
import { byId, defaultListLimit, maxListLimit, shopPaths, shopReader, shopWriter } from './product.ts';

/** A category on the wire (S8). */
export const categoryRecord = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    image: z.string().nullable(),
    products_count: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Category' });
export type CategoryRecord = z.output<typeof categoryRecord>;

const fields = {
  name: text(255, 1),
  slug: text(255, 1).regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'Must be lower-case letters and digits, with single hyphens between.' }),
  description: text(65_535).nullish(),
  image: z.union([z.literal('').transform(() => null), httpUrl], { error: 'Must be an http or https address.' }).nullish(),
};

export const categoryBody = z.object(fields);
export type CategoryBody = z.output<typeof categoryBody>;
export const categoryChanges = z.object({ ...fields, name: fields.name.optional(), slug: fields.slug.optional() });
export type CategoryChanges = z.output<typeof categoryChanges>;

export const categoryQuery = paging(defaultListLimit, maxListLimit, { search: text(255).optional() });
export type CategoryQuery = z.output<typeof categoryQuery>;

export const categoryRoutes = {
  listCategories: route({
    method: 'GET',
    ...shopPaths('/categories'),
    summary: 'List categories, newest first',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    query: categoryQuery,
    answers: { 200: paginated(categoryRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createCategory: route({
    method: 'POST',
    ...shopPaths('/categories'),
    summary: 'Create a category',
    caller: shopWriter,
    limit: 'shop_write',
    effect: 'write',
    body: categoryBody,
    answers: { 201: success(categoryRecord) },
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
  getCategory: route({
    method: 'GET',
    ...shopPaths('/categories/{id}'),
    summary: 'A category',
    caller: shopReader,
    limit: 'shop_read',
    effect: 'read',
    params: byId,
    answers: { 200: success(categoryRecord) },
    errors: ['not_found'],
  }),
  updateCategory: route({
    method: 'PUT',
    ...shopPaths('/categories/{id}'),
    summary: 'Change a category; what is not given stays',
    caller: shopWriter,
    limit: 'shop_write',
    effect: 'write',
    params: byId,
    body: categoryChanges,
    answers: { 200: success(categoryRecord) },
    errors: ['validation_failed', 'not_found'],
  }),
  deleteCategory: route({
    method: 'DELETE',
    ...shopPaths('/categories/{id}'),
    summary: 'Delete a category; its products stay, without a category',
    caller: shopWriter,
    limit: 'shop_write',
    effect: 'write',
    params: byId,
    answers: { 204: z.undefined() },
    errors: ['not_found'],
  }),
};
