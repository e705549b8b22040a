import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { readHead } from '../../../shared/table/head.ts';
import { getCompany } from '../../account/service/companies.ts';
import type { CategoryQuery } from '../contract/category.ts';
import type { PublicCategory, PublicProduct, PublicProductQuery } from '../contract/storefront.ts';
import { type Product, productEntityName, publicProducts } from '../contract/stored.ts';
import { publicCategory } from '../domain/category.ts';
import { isPublic, matching, publicProduct } from '../domain/product.ts';
import { findProduct, readProducts } from '../store/product.ts';
import { pageOfCategories } from './categories.ts';
import { pageOf } from './listing.ts';
import { categoriesOf } from './products.ts';

/** What everybody may see of a company's shop (S9); a suspended company has none. */
export const listPublicCategories = async (
  companyId: number,
  query: CategoryQuery,
): Promise<Page<PublicCategory> | Problem<'not_found' | 'invalid_cursor'>> => {
  const [isOpen, page] = await Promise.all([hasShop(companyId), pageOfCategories(companyId, query)]);
  if (!isOpen) return problem('not_found');
  return isProblem(page) ? page : { ...page, items: page.items.map(publicCategory) };
};

export const listPublicProducts = async (
  companyId: number,
  { page, limit, cursor, ...filters }: PublicProductQuery,
): Promise<Page<PublicProduct> | Problem<'not_found' | 'invalid_cursor'>> => {
  const [isOpen, { lastId }, { total }] = await Promise.all([
    hasShop(companyId),
    readHead(companyId, productEntityName),
    readHead(companyId, publicProducts),
  ]);
  if (!isOpen) return problem('not_found');
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '');
  const fits = matching(filters);
  const found = await pageOf<Product>({
    scope: `public-products:${companyId}:${JSON.stringify(filters)}`,
    page,
    limit,
    cursor,
    lastId,
    total: isFiltered ? undefined : total,
    matches: (product) => isPublic(product) && fits(product),
    read: (belowId, expected, take) => readProducts(companyId, belowId, expected, take),
  });
  if (isProblem(found)) return found;
  const categories = await categoriesOf(companyId, found.items);
  return { ...found, items: found.items.map((product) => publicProduct(product, categories)) };
};

export const getPublicProduct = async (companyId: number, id: number): Promise<PublicProduct | Problem<'not_found'>> => {
  const [isOpen, product] = await Promise.all([hasShop(companyId), findProduct(companyId, id, false)]);
  if (!isOpen || product === undefined || !isPublic(product)) return problem('not_found');
  return publicProduct(product, await categoriesOf(companyId, [product]));
};

const hasShop = async (companyId: number): Promise<boolean> => (await getCompany(companyId))?.status === 'active';
