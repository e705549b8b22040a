import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { Product, Source } from '../contract/stored.ts';
import { changedProduct, newProduct } from '../domain/product.ts';
import {
  createProductClaim,
  getProductClaim,
  getProductRow,
  createProductRow,
  updateProductClaim,
  type ProductClaim,
  updateProductRow,
} from '../store/product.ts';

/** The product of a source's external id, as it was read. */
export interface SourceProduct {
  companyId: number;
  source: Source;
  externalId: string;
  claim: ProductClaim | undefined;
  product: Product | undefined;
}

export type ProductUpsertResult = { outcome: 'created' | 'updated' | 'unchanged'; product: Product | undefined };

/**
 * Creates or updates the product of a source's external id. `build` returns the wanted product from the stored one (a blank one when there
 * is none), or undefined to keep it. New: 2 WRU and an id; changed: 1; unchanged: 0. Of two concurrent calls the claim decides the id, and
 * the product's revision decides the writer.
 */
export const upsertProduct = async (
  { companyId, source, externalId, ...read }: SourceProduct,
  build: (product: Product, isNew: boolean, claim: ProductClaim | undefined) => Product | Problem<'validation_failed'> | undefined,
  takeId: () => Promise<number>,
): Promise<ProductUpsertResult | Problem<'validation_failed'>> => {
  let { claim, product } = read;
  return retryOnConflict<ProductUpsertResult | Problem<'validation_failed'>>(20, async () => {
    const at = now();
    if (product) {
      const wanted = build(product, false, claim);
      if (isRejected(wanted)) return wanted;
      const changed = wanted && changedProduct(product, wanted, at);
      if (!changed) return { outcome: 'unchanged', product };
      const written = await updateProductRow(changed);
      if (written.done) return { outcome: 'updated', product: changed };
      product = written.current;
      return conflict;
    }
    const draft = build(newProduct(companyId, claim?.productId ?? 0, source, externalId, at), true, claim);
    if (isRejected(draft)) return draft;
    if (!draft) return { outcome: 'unchanged', product: undefined };
    let id = claim?.productId;
    if (id === undefined) {
      id = await takeId();
      const next: ProductClaim = { ...claim, companyId, source, externalId, productId: id, at };
      const isClaimed = claim ? await updateProductClaim(claim, next) : (await createProductClaim(next)).done;
      if (!isClaimed) {
        ({ claim, product } = await getSourceProduct({ companyId, source, externalId }));
        return conflict;
      }
      claim = next;
    }
    const created = await createProductRow({ ...draft, id });
    if (created.done) return { outcome: 'created', product: created.item };
    product = created.current ?? (await getProductRow(companyId, id, { consistent: true }));
    return conflict;
  });
};

/** A source's product and its claim, read consistently. */
export const getSourceProduct = async (id: { companyId: number; source: Source; externalId: string }): Promise<SourceProduct> => {
  const claim = await getProductClaim(id, { consistent: true });
  const product = claim?.productId === undefined ? undefined : await getProductRow(id.companyId, claim.productId, { consistent: true });
  return { ...id, claim, product };
};

const isRejected = (value: Product | Problem<'validation_failed'> | undefined): value is Problem<'validation_failed'> => isProblem(value);
