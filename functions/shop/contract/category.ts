import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { paging, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { httpUrl } from './amount.ts';
import { byId, defaultListLimit, maxListLimit, shopPaths, shopReader, shopWriter } from './product.ts';

/** A category in the API. */
export const categoryRecord = z
  .object({
    id: z.int().describe('Id of the category.'),
    name: z.string().describe('Name of the category.'),
    slug: z.string().describe('Name of the category in URLs, unique in the shop.'),
    description: z.string().nullable().describe('Description, or null.'),
    image: z.string().nullable().describe('URL of an image, or null.'),
    products_count: z.int().describe('Number of products in the category.'),
    created_at: timestamp.describe('When the category was created.'),
    updated_at: timestamp.describe('When the category last changed.'),
  })
  .meta({ id: 'Category', description: 'A category of the catalog.' });
export type CategoryRecord = z.output<typeof categoryRecord>;

const fields = {
  name: text(255, 1).describe('Name of the category.'),
  slug: text(255, 1)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'Must be lower-case letters and digits, with single hyphens between.' })
    .describe('Name of the category in URLs, unique in the shop.'),
  description: text(65_535).nullish().describe('Description. Null clears it.'),
  image: z
    .union([z.literal('').transform(() => null), httpUrl], { error: 'Must be an http or https URL.' })
    .nullish()
    .describe('URL of an image. Null or an empty string clears it.'),
};

export const categoryBody = z.object(fields);
export type CategoryBody = z.output<typeof categoryBody>;
export const categoryChanges = z.object({ ...fields, name: fields.name.optional(), slug: fields.slug.optional() });
export type CategoryChanges = z.output<typeof categoryChanges>;

export const categoryQuery = paging(defaultListLimit, maxListLimit, {
  search: text(255).optional().describe('Text in the name or slug.'),
});
export type CategoryQuery = z.output<typeof categoryQuery>;

export const categoryRoutes = {
  listCategories: route({
    method: 'GET',
    ...shopPaths('/categories'),
    summary: 'List categories',
    description: 'Returns categories with the number of their products, newest first.',
    caller: shopReader,
    limit: 'shop_read',
    query: categoryQuery,
    answers: { 200: paginated(categoryRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createCategory: route({
    method: 'POST',
    ...shopPaths('/categories'),
    summary: 'Create a category',
    description: 'Creates a category. The slug is unique in the shop. A shop has at most 2,000 categories.',
    caller: shopWriter,
    limit: 'shop_write',
    body: categoryBody.meta({ id: 'CreateCategoryRequest' }),
    answers: { 201: success(categoryRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
  getCategory: route({
    method: 'GET',
    ...shopPaths('/categories/{id}'),
    summary: 'Get a category',
    description: 'Returns one category with the number of its products.',
    caller: shopReader,
    limit: 'shop_read',
    params: byId,
    answers: { 200: success(categoryRecord) },
    errors: ['not_found'],
  }),
  updateCategory: route({
    method: 'PUT',
    ...shopPaths('/categories/{id}'),
    summary: 'Update a category',
    description: 'Changes the given fields; omitted fields keep their values.',
    caller: shopWriter,
    limit: 'shop_write',
    params: byId,
    body: categoryChanges.meta({ id: 'UpdateCategoryRequest' }),
    answers: { 200: success(categoryRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'not_found'],
  }),
  deleteCategory: route({
    method: 'DELETE',
    ...shopPaths('/categories/{id}'),
    summary: 'Delete a category',
    description: 'Deletes a category. Its products stay and have no category from then on.',
    caller: shopWriter,
    limit: 'shop_write',
    params: byId,
    answers: { 204: z.undefined() },
    errors: ['not_found'],
  }),
};
