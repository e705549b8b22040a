import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/table/page.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { CategoryBody, CategoryChanges, CategoryQuery, CategoryRecord } from '../contract/category.ts';
import { type Category, categoryEntityName } from '../contract/stored.ts';
import { categoryRecordOf, withCategoryValues } from '../domain/category.ts';
import { contains } from '../domain/product.ts';
import {
  updateCategoryRow,
  getCategoryRow,
  createCategoryRow,
  listCategoriesBelow,
  listCategoryRows,
  maxCategories,
  deleteCategoryRow,
} from '../store/category.ts';
import { readPage, usualBounds, type WalkBounds } from './record-pages.ts';

/** Categories, newest first. */
export const listCategories = async (
  companyId: number,
  { page, limit, cursor, search }: CategoryQuery,
  bounds?: WalkBounds,
): Promise<Page<Category> | Problem<'invalid_cursor' | 'validation_failed'>> =>
  readPage<Category>({
    scope: `categories:${companyId}:${search ?? ''}`,
    page,
    limit,
    cursor,
    lastId: Number.MAX_SAFE_INTEGER - 1,
    total: undefined,
    // so few that any page number is reached or past the end
    bounds: { ...(bounds ?? usualBounds), depth: Number.MAX_SAFE_INTEGER },
    matches: ({ name, slug }) => !search || contains(search, [name, slug]),
    records: (belowId, count) => listCategoriesBelow(companyId, belowId, count),
  });

export const getCategory = async (companyId: number, id: number): Promise<CategoryRecord | Problem<'not_found'>> => {
  const category = await getCategoryRow(companyId, id);
  return category ? categoryRecordOf(category) : problem('not_found');
};

/** Creates a category. A retry with the same operation id returns the category of the first call. */
export const createCategory = async (
  companyId: number,
  body: CategoryBody,
  operationId: string,
): Promise<CategoryRecord | Problem<'validation_failed' | 'plan_limit_reached'>> => {
  const at = now();
  const id = await nextIds(companyId, categoryEntityName, 1);
  if (id > maxCategories) {
    const used = (await listCategoryRows(companyId)).length;
    if (used >= maxCategories) return categoryLimitReached(used);
  }
  const blank: Category = {
    companyId,
    id,
    name: body.name,
    slug: body.slug,
    productsCount: 0,
    rev: 0,
    checkpoints: {},
    createdBy: operationId,
    createdAt: at,
    updatedAt: at,
  };
  const category = withCategoryValues(blank, body, at);
  const holderId = await createCategoryRow(category);
  if (holderId === undefined) return categoryRecordOf(category);
  const holder = await getCategoryRow(companyId, holderId, { consistent: true });
  return holder?.createdBy === operationId ? categoryRecordOf(holder) : slugInUse();
};

export const updateCategory = (
  companyId: number,
  id: number,
  changes: CategoryChanges,
): Promise<CategoryRecord | Problem<'not_found' | 'validation_failed'>> =>
  retryOnConflict<CategoryRecord | Problem<'not_found' | 'validation_failed'>>(4, async (attempt) => {
    const seen = await getCategoryRow(companyId, id, { consistent: attempt > 1 });
    if (!seen) return problem('not_found');
    const category = withCategoryValues(seen, changes, now());
    const written = await updateCategoryRow(seen, category);
    if (written === 'done') return categoryRecordOf(category);
    return written === 'taken' ? slugInUse() : conflict;
  });

/** Deletes a category. Its products show no category from then on, because its id is never reused. */
export const deleteCategory = (companyId: number, id: number): Promise<Category | Problem<'not_found'>> =>
  retryOnConflict<Category | Problem<'not_found'>>(4, async (attempt) => {
    const category = await getCategoryRow(companyId, id, { consistent: attempt > 1 });
    if (!category) return problem('not_found');
    return (await deleteCategoryRow(category)) ? category : conflict;
  });

export const categoryRecords = (page: Page<Category>): Page<CategoryRecord> => ({ ...page, items: page.items.map(categoryRecordOf) });

const slugInUse = (): Problem<'validation_failed'> => invalid('slug', 'Another category has this slug.');

const categoryLimitReached = (used: number): Problem<'plan_limit_reached'> =>
  problem('plan_limit_reached', {
    message: `A shop has at most ${maxCategories} categories.`,
    details: { resource: 'shop_categories', limit: maxCategories, used },
  });
