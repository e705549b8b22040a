import * as z from 'zod';
import { all, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { type Category, categoryEntityName, storedCategory } from '../contract/stored.ts';
import type { RecordsBelow } from './id-partition.ts';

/** A company has at most 2,000 categories, all in one partition. */
export const maxCategories = 2_000;

export const categoryEntity = entity({
  name: categoryEntityName,
  purpose: 'A category with the number of its products',
  attributes: storedCategory,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: partition(companyId), sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#CATEGORY', sk: '<id, 16 digits>' },
});

const slugEntity = entity({
  name: 'shop-category-slug',
  purpose: 'Which category has a slug; unique by its key',
  attributes: z.object({ companyId: z.int(), slug: z.string(), categoryId: z.int() }),
  key: ({ companyId, slug }: { companyId: number; slug: string }) => ({ pk: `${tenant(companyId)}#SLUG`, sk: slug }),
  idOf: ({ companyId, slug }) => ({ companyId, slug }),
  example: { pk: 'C#<company>#SLUG', sk: '<slug>' },
});

export const getCategoryRow = pattern(
  { question: 'a category by its id', entity: categoryEntityName, by: 'GetItem', units: '0.5 RRU (a miss 1.5)' },
  async (companyId: number, id: number, { consistent = false }: { consistent?: boolean } = {}): Promise<Category | undefined> =>
    (await categoryEntity.get({ companyId, id }, { consistent })) ??
    (consistent ? undefined : categoryEntity.get({ companyId, id }, { consistent: true })),
);

/** Several categories, by key or by their range of ids, whichever costs less. */
export const getCategoriesByIds = pattern(
  {
    question: 'several categories by id',
    entity: categoryEntityName,
    by: 'BatchGetItem',
    units: '0.5 RRU each, or per 4 KB of their range',
  },
  async (companyId: number, ids: readonly number[]): Promise<Category[]> => {
    const wanted = new Set(ids);
    if (wanted.size === 0) return [];
    const [first, last] = [Math.min(...wanted), Math.max(...wanted)];
    if (wanted.size <= Math.ceil((last - first + 1) / perFourKb))
      return categoryEntity.getMany([...wanted].map((id) => ({ companyId, id })));
    return (await readAll(companyId, [sortable(first), sortable(last)])).filter(({ id }) => wanted.has(id));
  },
);

export const listCategoryRows = pattern(
  { question: 'all categories of a company', entity: categoryEntityName, by: 'Query', units: '0.5 RRU per 4 KB (about 12)' },
  (companyId: number): Promise<Category[]> => readAll(companyId),
);

/** Categories below an id, newest first, at most `count`. `below`: where the next read starts; 1 at the end. */
export const listCategoriesBelow = pattern(
  { question: 'categories below an id, newest first', entity: categoryEntityName, by: 'Query', units: '0.5 RRU per 4 KB (about 12)' },
  async (companyId: number, belowId: number, count: number): Promise<RecordsBelow<Category>> => {
    const between = [sortable(0), sortable(belowId - 1)] as const;
    const { items, last } = await categoryEntity.query({ pk: partition(companyId), between, descending: true, limit: count });
    return { records: items, below: last ? (items.at(-1)?.id ?? 1) : 1 };
  },
);

/** Returns undefined when the category was created, or else the id of the category that has the slug. */
export const createCategoryRow = pattern(
  { question: 'create a category, if its slug is free', entity: categoryEntityName, by: 'TransactWriteItems', units: '4 WRU' },
  async (category: Category): Promise<number | undefined> => {
    const committed = await commit({
      category: categoryEntity.putting(category, missing()),
      slug: slugEntity.putting(slugOf(category), missing()),
    });
    return committed.done ? undefined : (committed.refused.slug?.current?.categoryId ?? category.id);
  },
);

/** Updates the fields that a caller may change. The product count belongs to the projection. */
export const updateCategoryRow = pattern(
  {
    question: 'change a category and its slug',
    entity: categoryEntityName,
    by: 'TransactWriteItems',
    units: '1 WRU, with its slug 6',
  },
  async (before: Category, after: Category): Promise<'done' | 'missing' | 'taken'> => {
    const { name, slug, description, image, updatedAt } = after;
    const change = { set: { name, slug, description, image, updatedAt } };
    const condition = all(exists(), equals('slug', before.slug));
    if (before.slug === slug) return (await categoryEntity.change(before, change, condition)).done ? 'done' : 'missing';
    const committed = await commit({
      category: categoryEntity.changing(before, change, condition),
      slug: slugEntity.putting(slugOf(after), missing()),
      oldSlug: slugEntity.deleting(slugOf(before), equals('categoryId', before.id)),
    });
    if (committed.done) return 'done';
    return committed.refused.slug ? 'taken' : 'missing';
  },
);

export const deleteCategoryRow = pattern(
  { question: 'delete a category and its slug', entity: categoryEntityName, by: 'TransactWriteItems', units: '4 WRU' },
  async (category: Category): Promise<boolean> =>
    (
      await commit({
        category: categoryEntity.deleting(category, all(exists(), equals('slug', category.slug))),
        slug: slugEntity.deleting(slugOf(category), equals('categoryId', category.id)),
      })
    ).done,
);

const readAll = (companyId: number, between?: readonly [string, string]): Promise<Category[]> =>
  categoryEntity.collect({ pk: partition(companyId), ...(between ? { between } : {}) });

const slugOf = ({ companyId, slug, id }: Category) => ({ companyId, slug, categoryId: id });
const partition = (companyId: number): string => `${tenant(companyId)}#CATEGORY`;
const perFourKb = 12;
