import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Once } from '../../../shared/contract/route.ts';
import type { Page } from '../../../shared/table/page.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getCounter, nextIds } from '../../../shared/table/counter.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { ProductBody, ProductChanges, ProductQuery, ProductRecord } from '../contract/product.ts';
import { type Category, type Product, productEntityName, sources } from '../contract/stored.ts';
import { changedProduct, isLiveProduct, matchesProduct, newProduct, productRecordOf, withValues } from '../domain/product.ts';
import { getCategoriesByIds, getCategoryRow } from '../store/category.ts';
import {
  createProductClaim,
  deleteProductClaim,
  getProductClaim,
  getProductClaims,
  getProductRow,
  getProductsByIds,
  createProductRow,
  updateProductClaim,
  productClaimEntity,
  type ProductClaim,
  listProductsBelow,
  updateProductRow,
} from '../store/product.ts';
import { allRecords, readPage } from './record-pages.ts';

/** Products, newest first. */
export const listProducts = async (
  companyId: number,
  { page, limit, cursor, ...filters }: ProductQuery,
): Promise<Page<ProductRecord> | Problem<'invalid_cursor' | 'validation_failed'>> => {
  const named = filters.external_id === undefined ? undefined : await listProductsByExternalId(companyId, filters.external_id);
  const { lastId, total } = await getCounter(companyId, productEntityName);
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '');
  const fits = matchesProduct(filters);
  const found = await readPage<Product>({
    scope: `products:${companyId}:${JSON.stringify(filters)}`,
    page,
    limit,
    cursor,
    lastId,
    total: isFiltered ? undefined : total,
    matches: (product) => isLiveProduct(product) && fits(product),
    records: named ? allRecords(named) : (belowId, count) => listProductsBelow(companyId, belowId, count),
  });
  if (isProblem(found)) return found;
  const categories = await categoriesOf(companyId, found.items);
  return { ...found, items: found.items.map((product) => productRecordOf(product, categories)) };
};

/** Products of an external id, at most one of each source, read by key. Newest first. */
async function listProductsByExternalId(companyId: number, externalId: string): Promise<Product[]> {
  const claims = await getProductClaims(sources.map((source) => ({ companyId, source, externalId })));
  const products = await getProductsByIds(
    companyId,
    claims.flatMap(({ productId }) => productId ?? []),
  );
  return products.toSorted((a, b) => b.id - a.id);
}

export const getProduct = async (companyId: number, id: number): Promise<ProductRecord | Problem<'not_found'>> => {
  const product = await getProductRow(companyId, id);
  return isLiveProduct(product) ? toRecord(product) : problem('not_found');
};

/** Creates a product for at most 4 WRU, the token's included: id, claim of the external id, product. */
export const createProduct = async (
  companyId: number,
  body: ProductBody,
  { operationId, once }: { operationId: string; once: Once },
): Promise<ProductRecord | Problem<'validation_failed' | 'conflict'>> => {
  const externalId = body.external_id ?? undefined;
  const refused = await categoryProblem(companyId, body);
  if (refused) return refused;
  const at = now();
  const draft = withValues({ ...newProduct(companyId, 0, 'api', externalId, at), createdBy: operationId }, body);
  if (isProblem(draft)) return draft;
  const own = await once('id', () => nextIds(companyId, productEntityName, 1));
  const id = externalId === undefined ? own : await claimExternalId(companyId, externalId, own, { operationId });
  if (isProblem(id)) return id;
  const inserted = await createProductRow({ ...draft, id });
  if (inserted.done) return toRecord(inserted.item);
  // An earlier attempt of the same operation created the product.
  return inserted.current?.createdBy === operationId ? toRecord(inserted.current) : externalIdInUse();
};

/** Updates the given fields of a product. */
export const updateProduct = async (
  companyId: number,
  id: number,
  changes: ProductChanges,
): Promise<ProductRecord | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const refused = await categoryProblem(companyId, changes);
  if (refused) return refused;
  let seen = await getProductRow(companyId, id);
  return retryOnConflict<ProductRecord | Problem<'not_found' | 'validation_failed' | 'conflict'>>(
    8,
    async () => {
      if (!isLiveProduct(seen)) return problem('not_found');
      const externalId = changes.external_id === undefined ? seen.externalId : (changes.external_id ?? undefined);
      if (externalId !== seen.externalId && seen.source !== 'api')
        return invalid('external_id', `Only the source of the product, ${seen.source}, can change its external id.`);
      const { externalId: _old, ...rest } = seen;
      const wanted = withValues({ ...rest, ...defined({ externalId }) }, changes);
      if (isProblem(wanted)) return wanted;
      const product = changedProduct(seen, wanted, now());
      if (product === undefined) return toRecord(seen);
      if (externalId !== undefined && externalId !== seen.externalId) {
        const claimed = await claimExternalId(companyId, externalId, id, 'other');
        if (isProblem(claimed)) return claimed;
      }
      const written = await updateProductRow(product);
      if (written.done) {
        if (seen.externalId !== undefined && seen.externalId !== externalId)
          await deleteProductClaim({ companyId, source: seen.source, externalId: seen.externalId }, id);
        return toRecord(product);
      }
      seen = written.current;
      return conflict;
    },
    () => problem('conflict'),
  );
};

/** Soft-deletes a product. A second call is 404. */
export const deleteProduct = async (companyId: number, id: number): Promise<Product | Problem<'not_found'>> => {
  let seen = await getProductRow(companyId, id);
  return retryOnConflict<Product | Problem<'not_found'>>(20, async () => {
    if (!isLiveProduct(seen)) return problem('not_found');
    const at = now();
    const written = await updateProductRow({ ...seen, rev: seen.rev + 1, deletedAt: at, updatedAt: at });
    if (written.done) return written.item;
    seen = written.current;
    return conflict;
  });
};

/** The existing categories of products, by id. */
export const categoriesOf = async (companyId: number, products: readonly Product[]): Promise<Map<number, Category>> => {
  const ids = products.flatMap(({ categoryId }) => (categoryId === undefined ? [] : [categoryId]));
  return new Map((await getCategoriesByIds(companyId, ids)).map((category) => [category.id, category]));
};

async function toRecord(product: Product): Promise<ProductRecord> {
  return productRecordOf(product, await categoriesOf(product.companyId, [product]));
}

async function categoryProblem(
  companyId: number,
  { category_id }: { category_id?: number | null | undefined },
): Promise<Problem<'validation_failed'> | undefined> {
  if (category_id == null || (await getCategoryRow(companyId, category_id))) return undefined;
  return invalid('category_id', 'There is no such category.');
}

const externalIdInUse = (): Problem<'validation_failed'> => invalid('external_id', 'Another product has this external id.');

/**
 * Claims an external id and returns the product id to use: the given one, or that of a claim without a product. `other`: the product exists
 * under its own id and cannot take another.
 */
async function claimExternalId(
  companyId: number,
  externalId: string,
  id: number,
  by: { operationId: string } | 'other',
): Promise<number | Problem<'validation_failed' | 'conflict'>> {
  const claim: ProductClaim = { companyId, source: 'api', externalId, productId: id, at: now() };
  const claimed = await createProductClaim(claim);
  if (claimed.done) return id;
  const held = claimed.current ?? (await getProductClaim(productClaimEntity.idOf(claim), { consistent: true }));
  if (held?.productId === undefined) return problem('conflict');
  if (held.productId === id) return id;
  const holder = await getProductRow(companyId, held.productId, { consistent: true });
  if (by !== 'other' && (holder === undefined || holder.createdBy === by.operationId)) return held.productId;
  if (isLiveProduct(holder) && holder.externalId === externalId) return externalIdInUse();
  if (holder === undefined && claim.at - held.at < abandonedClaimMs) return problem('conflict');
  return (await updateProductClaim(held, claim)) ? id : problem('conflict');
}

/** A claim without a product for this long was left by a crash. */
const abandonedClaimMs = 60_000;
