import { isProblem } from '../../../shared/contract/problems.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { RecordDeletion, ProductUpdate } from '../contract/platform-event.ts';
import { type Product, productEntityName } from '../contract/stored.ts';
import { roundedMinor } from '../domain/money.ts';
import { isOlder } from '../domain/order.ts';
import { createProductClaim, updateProductClaim, type ProductClaim } from '../store/product.ts';
import { settingsOf } from './settings.ts';
import { getSourceProduct, upsertProduct } from './upsert-product.ts';

/** Creates or updates the product of a platform's external id. products/create and products/update carry the same payload. */
export const upsertPlatformProduct = async (companyId: number, update: ProductUpdate): Promise<void> => {
  const { source, externalId } = update;
  const settings = await settingsOf(companyId);
  const upserted = await upsertProduct(
    await getSourceProduct({ companyId, source, externalId }),
    (seen, isNew, claim) => applyProductUpdate(seen, isNew, claim, update, settings.platform_currency),
    () => nextIds(companyId, productEntityName, 1),
  );
  if (isProblem(upserted)) throw new Error('A platform product was invalid.');
  if (upserted.outcome !== 'created') return;
  // A concurrent deletion found no product yet, so it is repeated here.
  const { claim } = await getSourceProduct({ companyId, source, externalId });
  const deletedAt = claim?.deletedAt;
  if (deletedAt !== undefined && (update.at ?? 0) <= deletedAt)
    await unpublishProduct(companyId, { kind: 'product-deleted', source, externalId, at: deletedAt });
};

function applyProductUpdate(
  seen: Product,
  isNew: boolean,
  claim: ProductClaim | undefined,
  update: ProductUpdate,
  platformCurrency: string,
): Product | undefined {
  if (claim?.deletedAt !== undefined && (update.at ?? 0) <= claim.deletedAt) return undefined;
  if (!isNew && isOlder(update, seen)) return undefined;
  const {
    deletedAt: _deleted,
    compareAt: _compare,
    description: _text,
    image: _image,
    sku: _sku,
    vendor: _vendor,
    productType: _type,
    isUncounted: wasUncounted,
    isUnpriced: wasUnpriced,
    ...rest
  } = seen;
  const currency = update.currency ?? (isNew ? platformCurrency : seen.currency);
  return {
    ...rest,
    name: update.name,
    currency,
    price: update.price === undefined ? seen.price : roundedMinor(update.price, currency),
    ...(update.price === undefined && wasUnpriced ? { isUnpriced: true as const } : {}),
    stock: update.stock ?? seen.stock,
    ...((update.isUncounted ?? wasUncounted) ? { isUncounted: true as const } : {}),
    status: update.status ?? seen.status,
    ...(update.compareAt ? { compareAt: roundedMinor(update.compareAt, currency) } : {}),
    ...(update.description ? { description: update.description } : {}),
    ...(update.image ? { image: update.image } : {}),
    ...(update.sku ? { sku: update.sku } : {}),
    ...(update.vendor ? { vendor: update.vendor } : {}),
    ...(update.productType ? { productType: update.productType } : {}),
    ...(update.at === undefined ? {} : { sourceAt: update.at }),
    ...(update.reportedAt === undefined ? {} : { sourceReportedAt: update.reportedAt }),
  };
}

/**
 * Hides a product that the platform deleted: its status becomes Draft. The claim records the deletion, so that a late update does not
 * create the product.
 */
export async function unpublishProduct(companyId: number, { source, externalId, at }: RecordDeletion): Promise<void> {
  await retryOnConflict(12, async () => {
    const { claim, product } = await getSourceProduct({ companyId, source, externalId });
    if (claim === undefined || (claim.deletedAt ?? 0) < at) {
      const nextClaim: ProductClaim = { companyId, source, externalId, ...claim, at: claim?.at ?? now(), deletedAt: at };
      const isWritten = claim ? await updateProductClaim(claim, nextClaim) : (await createProductClaim(nextClaim)).done;
      if (!isWritten) return conflict;
    }
    if (!product) return;
    const hidden = await upsertProduct(
      { companyId, source, externalId, claim, product },
      (seen) => ((seen.sourceAt ?? 0) > at ? undefined : { ...seen, status: 'Draft', sourceAt: at, sourceReportedAt: at }),
      () => nextIds(companyId, productEntityName, 1),
    );
    return isProblem(hidden) ? conflict : undefined;
  });
}
