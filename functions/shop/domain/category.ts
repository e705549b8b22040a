import { isoTime } from '../../../shared/runtime/clock.ts';
import type { CategoryChanges, CategoryRecord } from '../contract/category.ts';
import type { PublicCategory } from '../contract/storefront.ts';
import type { Category } from '../contract/stored.ts';

/** The category with the changes applied. Null clears a field, undefined keeps it. */
export const withCategoryValues = (category: Category, given: CategoryChanges, at: number): Category => {
  const next = { ...category, updatedAt: at };
  if (given.name !== undefined) next.name = given.name;
  if (given.slug !== undefined) next.slug = given.slug;
  for (const field of ['description', 'image'] as const) {
    const value = given[field];
    if (value === undefined) continue;
    if (value === null || value === '') delete next[field];
    else next[field] = value;
  }
  return next;
};

export const categoryRecordOf = (category: Category): CategoryRecord => ({
  ...publicCategoryOf(category),
  products_count: category.productsCount,
  created_at: isoTime(category.createdAt),
  updated_at: isoTime(category.updatedAt),
});

export const publicCategoryOf = ({ id, name, slug, description, image }: Category): PublicCategory => ({
  id,
  name,
  slug,
  description: description ?? null,
  image: image ?? null,
});
