import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/table/page.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { getCompany } from '../../account/service/companies.ts';
import type { CategoryQuery } from '../contract/category.ts';
import type { PublicCategory, PublicProduct, PublicProductQuery } from '../contract/storefront.ts';
import { type Product, productEntityName, publicProducts } from '../contract/stored.ts';
import { publicCategoryOf } from '../domain/category.ts';
import { isPublic, matchesProduct, publicProductOf } from '../domain/product.ts';
import { getProductRow, listProductsBelow } from '../store/product.ts';
import { listCategories } from './categories.ts';
import { publicBounds, readPage } from './record-pages.ts';
import { categoriesOf } from './products.ts';

/** The public storefront. A suspended company has none. */
export const listPublicCategories = async (
  companyId: number,
  query: CategoryQuery,
): Promise<Page<PublicCategory> | Problem<'not_found' | 'invalid_cursor' | 'validation_failed'>> => {
  const [isOpen, page] = await Promise.all([isCompanyActive(companyId), listCategories(companyId, query, publicBounds)]);
  if (!isOpen) return problem('not_found');
  return isProblem(page) ? page : { ...page, items: page.items.map(publicCategoryOf) };
};

export const listPublicProducts = async (
  companyId: number,
  { page, limit, cursor, ...filters }: PublicProductQuery,
): Promise<Page<PublicProduct> | Problem<'not_found' | 'invalid_cursor' | 'validation_failed'>> => {
  const [isOpen, { lastId }, { total }] = await Promise.all([
    isCompanyActive(companyId),
    getCounter(companyId, productEntityName),
    getCounter(companyId, publicProducts),
  ]);
  if (!isOpen) return problem('not_found');
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '');
  const fits = matchesProduct(filters);
  const found = await readPage<Product>({
    scope: `public-products:${companyId}:${JSON.stringify(filters)}`,
    page,
    limit,
    cursor,
    lastId,
    total: isFiltered ? undefined : total,
    matches: (product) => isPublic(product) && fits(product),
    bounds: publicBounds,
    records: (belowId, count) => listProductsBelow(companyId, belowId, count),
  });
  if (isProblem(found)) return found;
  const categories = await categoriesOf(companyId, found.items);
  return { ...found, items: found.items.map((product) => publicProductOf(product, categories)) };
};

export const getPublicProduct = async (companyId: number, id: number): Promise<PublicProduct | Problem<'not_found'>> => {
  const [isOpen, product] = await Promise.all([isCompanyActive(companyId), getProductRow(companyId, id)]);
  if (!isOpen || product === undefined || !isPublic(product)) return problem('not_found');
  return publicProductOf(product, await categoriesOf(companyId, [product]));
};

const isCompanyActive = async (companyId: number): Promise<boolean> => (await getCompany(companyId))?.status === 'active';
