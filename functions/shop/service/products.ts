import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { drawnNow, type Once } from '../../../shared/contract/route.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { readHead, takeIds } from '../../../shared/table/head.ts';
import type { ProductBody, ProductChanges, ProductQuery, ProductRecord } from '../contract/product.ts';
import { type Category, type Product, productEntityName, sources } from '../contract/stored.ts';
import { changedProduct, isLive, matching, newProduct, productRecord, withValues } from '../domain/product.ts';
import { findCategories, findCategory } from '../store/category.ts';
import {
  claimExternalId,
  dropClaim,
  findClaim,
  findClaims,
  findProduct,
  findProducts,
  insertProduct,
  moveClaim,
  productClaimEntity,
  type ProductClaim,
  readProducts,
  replaceProduct,
} from '../store/product.ts';
import { pageOf } from './listing.ts';

/** Products, newest first (S3). */
export const listProducts = async (
  companyId: number,
  { page, limit, cursor, ...filters }: ProductQuery,
): Promise<Page<ProductRecord> | Problem<'invalid_cursor'>> => {
  const named = filters.external_id === undefined ? undefined : await productsOfExternalId(companyId, filters.external_id);
  const { lastId, total } = await readHead(companyId, productEntityName);
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '');
  const fits = matching(filters);
  const found = await pageOf<Product>({
    scope: `products:${companyId}:${JSON.stringify(filters)}`,
    page,
    limit,
    cursor,
    lastId,
    total: isFiltered ? undefined : total,
    matches: (product) => isLive(product) && fits(product),
    read: async (belowId, expected, take) => {
      if (named === undefined) return readProducts(companyId, belowId, expected, take);
      for (const product of named) if (product.id < belowId && !take(product)) break;
    },
  });
  if (isProblem(found)) return found;
  const categories = await categoriesOf(companyId, found.items);
  return { ...found, items: found.items.map((product) => productRecord(product, categories)) };
};

/** An external id leads to at most one product of each source: nothing is looked through. Newest first. */
async function productsOfExternalId(companyId: number, externalId: string): Promise<Product[]> {
  const claims = await findClaims(sources.map((source) => ({ companyId, source, externalId })));
  const products = await findProducts(
    companyId,
    claims.flatMap(({ productId }) => productId ?? []),
  );
  return products.toSorted((a, b) => b.id - a.id);
}

export const getProduct = async (companyId: number, id: number): Promise<ProductRecord | Problem<'not_found'>> => {
  const product = await findProduct(companyId, id, false);
  return isLive(product) ? record(product) : problem('not_found');
};

/** At most 4 WRU, the token's included: the id, the external id's claim, the product. */
export const createProduct = async (
  companyId: number,
  body: ProductBody,
  once: Once = drawnNow,
): Promise<ProductRecord | Problem<'validation_failed' | 'conflict'>> => {
  const externalId = body.external_id ?? undefined;
  const refused = await unknownCategory(companyId, body);
  if (refused) return refused;
  const at = now();
  const draft = withValues(newProduct(companyId, 0, 'api', externalId, at), body);
  if (isProblem(draft)) return draft;
  const own = await once('id', () => takeIds(companyId, productEntityName, 1));
  const id = externalId === undefined ? own : await claimFor(companyId, externalId, own);
  if (isProblem(id)) return id;
  const inserted = await insertProduct({ ...draft, id });
  if (inserted.done) return record(inserted.item);
  // an id drawn for this operation alone: an earlier try of it was here
  return id === own && inserted.current ? record(inserted.current) : taken();
};

/** PUT: given keys change (2§4). */
export const updateProduct = async (
  companyId: number,
  id: number,
  changes: ProductChanges,
): Promise<ProductRecord | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const refused = await unknownCategory(companyId, changes);
  if (refused) return refused;
  let seen = await findProduct(companyId, id, false);
  for (let attempt = 0; attempt < 8; attempt++) {
    if (!isLive(seen)) return problem('not_found');
    const externalId = changes.external_id === undefined ? seen.externalId : (changes.external_id ?? undefined);
    if (externalId !== seen.externalId && seen.source !== 'api')
      return invalid('external_id', `The external id belongs to its source, ${seen.source}.`);
    const { externalId: _old, ...rest } = seen;
    const wanted = withValues({ ...rest, ...(externalId === undefined ? {} : { externalId }) }, changes);
    if (isProblem(wanted)) return wanted;
    const product = changedProduct(seen, wanted, now());
    if (product === undefined) return record(seen);
    if (externalId !== undefined && externalId !== seen.externalId) {
      const claimed = await claimFor(companyId, externalId, id, true);
      if (isProblem(claimed)) return claimed;
    }
    const written = await replaceProduct(product);
    if (written.done) {
      if (seen.externalId !== undefined && seen.externalId !== externalId)
        await dropClaim({ companyId, source: seen.source, externalId: seen.externalId }, id);
      return record(product);
    }
    seen = written.current;
  }
  return problem('conflict');
};

/** DELETE: soft (S7); the second time there is nothing to delete. */
export const deleteProduct = async (companyId: number, id: number): Promise<Product | Problem<'not_found'>> => {
  for (let seen = await findProduct(companyId, id, false); isLive(seen); ) {
    const at = now();
    const written = await replaceProduct({ ...seen, rev: seen.rev + 1, deletedAt: at, updatedAt: at });
    if (written.done) return written.item;
    seen = written.current;
  }
  return problem('not_found');
};

/** Categories of products, by id; those deleted since are not among them. */
export const categoriesOf = async (companyId: number, products: readonly Product[]): Promise<Map<number, Category>> => {
  const ids = products.flatMap(({ categoryId }) => (categoryId === undefined ? [] : [categoryId]));
  return new Map((await findCategories(companyId, ids)).map((category) => [category.id, category]));
};

async function record(product: Product): Promise<ProductRecord> {
  return productRecord(product, await categoriesOf(product.companyId, [product]));
}

async function unknownCategory(
  companyId: number,
  { category_id }: { category_id?: number | null | undefined },
): Promise<Problem<'validation_failed'> | undefined> {
  if (category_id == null || (await findCategory(companyId, category_id, false))) return undefined;
  return invalid('category_id', 'There is no such category.');
}

const taken = (): Problem<'validation_failed'> => invalid('external_id', 'Another product has this external id.');

/**
 * The id under which a product may be made for an external id: its own, or that of a claim whose product never came. `isOther`: the
 * product exists already under its own id and can take no other.
 */
async function claimFor(
  companyId: number,
  externalId: string,
  id: number,
  isOther = false,
): Promise<number | Problem<'validation_failed' | 'conflict'>> {
  const claim: ProductClaim = { companyId, source: 'api', externalId, productId: id, at: now() };
  const claimed = await claimExternalId(claim);
  if (claimed.done) return id;
  const held = claimed.current ?? (await findClaim(productClaimEntity.idOf(claim), true));
  if (held?.productId === undefined) return problem('conflict');
  if (held.productId === id) return id;
  const holder = await findProduct(companyId, held.productId, true);
  if (isLive(holder) && holder.externalId === externalId) return taken();
  if (holder === undefined && !isOther) return held.productId;
  if (holder === undefined && claim.at - held.at < abandonedMs) return problem('conflict');
  return (await moveClaim(held, claim)) ? id : problem('conflict');
}

/** A claim whose product has not come by then was left by a crash. */
const abandonedMs = 60_000;
