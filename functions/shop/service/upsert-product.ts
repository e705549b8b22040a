import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
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

/** A product of a source, as far as it was read. */
export interface SourceProduct {
  companyId: number;
  source: Source;
  externalId: string;
  claim: ProductClaim | undefined;
  product: Product | undefined;
}

export type UpsertResult = { outcome: 'created' | 'updated' | 'unchanged'; product: Product | undefined };

/**
 * Creates or changes the product of a source's external id. `build` makes the product as it is to be from what stands (a blank one when
 * there is none); undefined leaves things as they are. New: 2 WRU and an id; changed: 1; unchanged: 0. Two calls at once make one product:
 * the claim decides which id, the product's own condition who writes it.
 */
export const upsertProduct = async (
  { companyId, source, externalId, ...read }: SourceProduct,
  build: (product: Product, isNew: boolean, claim: ProductClaim | undefined) => Product | Problem<'validation_failed'> | undefined,
  takeId: () => Promise<number>,
): Promise<UpsertResult | Problem<'validation_failed'>> => {
  let { claim, product } = read;
  for (let attempt = 0; attempt < 20; attempt++) {
    const at = now();
    if (product) {
      const wanted = build(product, false, claim);
      if (isRejected(wanted)) return wanted;
      const changed = wanted && changedProduct(product, wanted, at);
      if (!changed) return { outcome: 'unchanged', product };
      const written = await updateProductRow(changed);
      if (written.done) return { outcome: 'updated', product: changed };
      product = written.current;
      continue;
    }
    const draft = build(newProduct(companyId, claim?.productId ?? 0, source, externalId, at), true, claim);
    if (isRejected(draft)) return draft;
    if (!draft) return { outcome: 'unchanged', product: undefined };
    if (claim?.productId === undefined) {
      const id = await takeId();
      const next: ProductClaim = { ...claim, companyId, source, externalId, productId: id, at };
      const claimed = claim ? { done: await updateProductClaim(claim, next), current: undefined } : await createProductClaim(next);
      if (claimed.done) claim = next;
      else ({ claim, product } = await getSourceProduct({ companyId, source, externalId }));
      continue;
    }
    const inserted = await createProductRow({ ...draft, id: claim.productId });
    if (inserted.done) return { outcome: 'created', product: inserted.item };
    product = inserted.current ?? (await getProductRow(companyId, claim.productId, true));
  }
  throw new Contended();
};

/** A source's product and its claim, read consistently. */
export const getSourceProduct = async (id: { companyId: number; source: Source; externalId: string }): Promise<SourceProduct> => {
  const claim = await getProductClaim(id, true);
  const product = claim?.productId === undefined ? undefined : await getProductRow(id.companyId, claim.productId, true);
  return { ...id, claim, product };
};

/** Answered with 503 and Retry-After; in a worker, the delivery comes again. */
class Contended extends Error {
  override name = 'TransactionConflict';
}

const isRejected = (value: Product | Problem<'validation_failed'> | undefined): value is Problem<'validation_failed'> => isProblem(value);
