import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { RecordDeletion, ProductUpdate } from '../contract/platform-event.ts';
import { type Product, productEntityName } from '../contract/stored.ts';
import { roundedMinor } from '../domain/money.ts';
import { isOlder } from '../domain/order.ts';
import { createProductClaim, updateProductClaim, type ProductClaim } from '../store/product.ts';
import { settingsOf } from './settings.ts';
import { getSourceProduct, upsertProduct } from './upsert-product.ts';

/** products/create and products/update are the same: the product of the external id becomes what the platform says (S21). */
export const upsertPlatformProduct = async (companyId: number, update: ProductUpdate): Promise<void> => {
  const { source, externalId } = update;
  const settings = await settingsOf(companyId);
  const upserted = await upsertProduct(
    await getSourceProduct({ companyId, source, externalId }),
    (seen, isNew, claim) => applyProductUpdate(seen, isNew, claim, update, settings.platform_currency),
    () => nextIds(companyId, productEntityName, 1),
  );
  if (isProblem(upserted)) throw new Error('A platform product was refused.');
  if (upserted.outcome !== 'created') return;
  // deleted while it was being made: whoever dropped it saw no product yet
  const { claim } = await getSourceProduct({ companyId, source, externalId });
  const goneAt = claim?.goneAt;
  if (goneAt !== undefined && (update.at ?? 0) <= goneAt)
    await unpublishProduct(companyId, { kind: 'product-gone', source, externalId, at: goneAt });
};

function applyProductUpdate(
  seen: Product,
  isNew: boolean,
  claim: ProductClaim | undefined,
  update: ProductUpdate,
  platformCurrency: string,
): Product | undefined {
  if (claim?.goneAt !== undefined && (update.at ?? 0) <= claim.goneAt) return undefined;
  if (!isNew && isOlder(update, seen)) return undefined;
  const {
    deletedAt: _deleted,
    compareAt: _compare,
    description: _text,
    image: _image,
    sku: _sku,
    vendor: _vendor,
    productType: _type,
    ...rest
  } = seen;
  const currency = update.currency ?? (isNew ? platformCurrency : seen.currency);
  return {
    ...rest,
    name: update.name,
    currency,
    price: update.price === undefined ? seen.price : roundedMinor(update.price, currency),
    stock: update.stock ?? seen.stock,
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

/** products/delete: the product is hidden (2§6); one that never came leaves a mark, so that a late word does not bring it (S21). */
export async function unpublishProduct(companyId: number, { source, externalId, at }: RecordDeletion): Promise<void> {
  for (let attempt = 0; attempt < 12; attempt++) {
    const { claim, product } = await getSourceProduct({ companyId, source, externalId });
    if (claim === undefined || (claim.goneAt ?? 0) < at) {
      const nextClaim: ProductClaim = { companyId, source, externalId, ...claim, at: claim?.at ?? now(), goneAt: at };
      const done = claim ? await updateProductClaim(claim, nextClaim) : (await createProductClaim(nextClaim)).done;
      if (!done) continue;
    }
    if (!product) return;
    const dropped = await upsertProduct(
      { companyId, source, externalId, claim, product },
      (seen) => ((seen.sourceAt ?? 0) > at ? undefined : { ...seen, status: 'Draft', sourceAt: at, sourceReportedAt: at }),
      () => nextIds(companyId, productEntityName, 1),
    );
    if (!isProblem(dropped)) return;
  }
  throw new Error('A product changed too often to be dropped.');
}
