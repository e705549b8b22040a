import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { takeIds } from '../../../shared/table/head.ts';
import type { SaidGone, SaidProduct } from '../contract/said.ts';
import { type Product, productEntityName } from '../contract/stored.ts';
import { roundedMinor } from '../domain/money.ts';
import { isOlder } from '../domain/order.ts';
import { claimExternalId, moveClaim, type ProductClaim } from '../store/product.ts';
import { shopSettings } from './settings.ts';
import { readSource, upsertProduct } from './upsert.ts';

/** products/create and products/update are the same: the product of the external id becomes what the platform says (S21). */
export const takeProduct = async (companyId: number, said: SaidProduct): Promise<void> => {
  const { source, externalId } = said;
  const settings = await shopSettings(companyId);
  const upserted = await upsertProduct(
    await readSource({ companyId, source, externalId }),
    (seen, isNew, claim) => asPlatformSays(seen, isNew, claim, said, settings.platform_currency),
    () => takeIds(companyId, productEntityName, 1),
  );
  if (isProblem(upserted)) throw new Error('A platform product was refused.');
  if (upserted.outcome !== 'created') return;
  // deleted while it was being made: whoever dropped it saw no product yet
  const { claim } = await readSource({ companyId, source, externalId });
  const goneAt = claim?.goneAt;
  if (goneAt !== undefined && (said.at ?? 0) <= goneAt)
    await dropProduct(companyId, { kind: 'product-gone', source, externalId, at: goneAt });
};

function asPlatformSays(
  seen: Product,
  isNew: boolean,
  claim: ProductClaim | undefined,
  said: SaidProduct,
  platformCurrency: string,
): Product | undefined {
  if (claim?.goneAt !== undefined && (said.at ?? 0) <= claim.goneAt) return undefined;
  if (!isNew && isOlder(said, seen)) return undefined;
  const {
    deletedAt: _deleted,
    compareAt: _compare,
    description: _text,
    image: _image,
    sku: _sku,
    vendor: _vendor,
    productType: _type,
    ...kept
  } = seen;
  const currency = said.currency ?? (isNew ? platformCurrency : seen.currency);
  return {
    ...kept,
    name: said.name,
    currency,
    price: said.price === undefined ? seen.price : roundedMinor(said.price, currency),
    stock: said.stock ?? seen.stock,
    status: said.status ?? seen.status,
    ...(said.compareAt ? { compareAt: roundedMinor(said.compareAt, currency) } : {}),
    ...(said.description ? { description: said.description } : {}),
    ...(said.image ? { image: said.image } : {}),
    ...(said.sku ? { sku: said.sku } : {}),
    ...(said.vendor ? { vendor: said.vendor } : {}),
    ...(said.productType ? { productType: said.productType } : {}),
    ...(said.at === undefined ? {} : { sourceAt: said.at }),
    ...(said.saidAt === undefined ? {} : { sourceSaidAt: said.saidAt }),
  };
}

/** products/delete: the product is hidden (2§6); one that never came leaves a mark, so that a late word does not bring it (S21). */
export async function dropProduct(companyId: number, { source, externalId, at }: SaidGone): Promise<void> {
  for (let attempt = 0; attempt < 12; attempt++) {
    const { claim, product } = await readSource({ companyId, source, externalId });
    if (claim === undefined || (claim.goneAt ?? 0) < at) {
      const marked: ProductClaim = { companyId, source, externalId, ...claim, at: claim?.at ?? now(), goneAt: at };
      const done = claim ? await moveClaim(claim, marked) : (await claimExternalId(marked)).done;
      if (!done) continue;
    }
    if (!product) return;
    const dropped = await upsertProduct(
      { companyId, source, externalId, claim, product },
      (seen) => ((seen.sourceAt ?? 0) > at ? undefined : { ...seen, status: 'Draft', sourceAt: at, sourceSaidAt: at }),
      () => takeIds(companyId, productEntityName, 1),
    );
    if (!isProblem(dropped)) return;
  }
  throw new Error('A product changed too often to be dropped.');
}
