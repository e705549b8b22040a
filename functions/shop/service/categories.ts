import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { CategoryBody, CategoryChanges, CategoryQuery, CategoryRecord } from '../contract/category.ts';
import { type Category, categoryEntityName } from '../contract/stored.ts';
import { categoryRecord, withCategoryValues } from '../domain/category.ts';
import { contains } from '../domain/product.ts';
import {
  updateCategoryRow,
  getCategoryRow,
  createCategoryRow,
  listCategoryRows,
  maxCategories,
  deleteCategoryRow,
} from '../store/category.ts';
import { readPage } from './record-pages.ts';

/** For the stream consumer, which folds the number of products in. */
export { categoryEntity } from '../store/category.ts';

/** Categories, newest first. */
export const listCategories = async (
  companyId: number,
  { page, limit, cursor, search }: CategoryQuery,
): Promise<Page<Category> | Problem<'invalid_cursor'>> => {
  const categories = (await listCategoryRows(companyId)).reverse();
  return readPage<Category>({
    scope: `categories:${companyId}:${search ?? ''}`,
    page,
    limit,
    cursor,
    lastId: Number.MAX_SAFE_INTEGER - 1,
    total: undefined,
    matches: ({ name, slug }) => !search || contains(search, [name, slug]),
    read: (belowId, _expected, take) => {
      for (const category of categories) if (category.id < belowId && !take(category)) break;
      return Promise.resolve();
    },
  });
};

export const getCategory = async (companyId: number, id: number): Promise<CategoryRecord | Problem<'not_found'>> => {
  const category = await getCategoryRow(companyId, id, false);
  return category ? categoryRecord(category) : problem('not_found');
};

/** A repetition of the call (`operationId`) meets the category that it made. */
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
  if (holderId === undefined) return categoryRecord(category);
  const holder = await getCategoryRow(companyId, holderId, true);
  return holder?.createdBy === operationId ? categoryRecord(holder) : slugInUse();
};

export const updateCategory = async (
  companyId: number,
  id: number,
  changes: CategoryChanges,
): Promise<CategoryRecord | Problem<'not_found' | 'validation_failed'>> => {
  for (let attempt = 0; attempt < 4; attempt++) {
    const seen = await getCategoryRow(companyId, id, attempt > 0);
    if (!seen) return problem('not_found');
    const category = withCategoryValues(seen, changes, now());
    const written = await updateCategoryRow(seen, category);
    if (written === 'taken') return slugInUse();
    if (written === 'done') return categoryRecord(category);
  }
  return problem('not_found');
};

/** Products of a deleted category show none from then on: its id is never given out again. */
export const deleteCategory = async (companyId: number, id: number): Promise<Category | Problem<'not_found'>> => {
  for (let attempt = 0; attempt < 4; attempt++) {
    const category = await getCategoryRow(companyId, id, attempt > 0);
    if (!category) return problem('not_found');
    if (await deleteCategoryRow(category)) return category;
  }
  return problem('not_found');
};

export const categoryRecords = (page: Page<Category>): Page<CategoryRecord> => ({ ...page, items: page.items.map(categoryRecord) });

const slugInUse = (): Problem<'validation_failed'> => invalid('slug', 'Another category has this slug.');

const categoryLimitReached = (used: number): Problem<'plan_limit_reached'> =>
  problem('plan_limit_reached', {
    message: `A shop has at most ${maxCategories} categories.`,
    details: { resource: 'shop_categories', limit: maxCategories, used },
  });
