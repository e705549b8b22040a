import { type FieldErrors, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { withoutAbsent } from '../../../shared/http/absent.ts';
import { fieldErrors } from '../../../shared/http/parse.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { erpRow, type ErpRow, type ErpSyncResult } from '../contract/erp.ts';
import { type Product, productEntityName } from '../contract/stored.ts';
import { withValues } from '../domain/product.ts';
import { getProductClaims, getProductsByIds } from '../store/product.ts';
import { upsertProduct } from './upsert-product.ts';

/**
 * Syncs ERP rows, each on its own. The last row of an external id wins, omitted fields stay, and a row older than the stored product
 * changes nothing. A new row costs 2 WRU, a changed one 1, an unchanged one 0; new ids are reserved in one block.
 */
export const syncErp = async (companyId: number, rows: readonly unknown[]): Promise<ErpSyncResult | Problem<'validation_failed'>> => {
  const failures: ErpSyncResult['errors'] = [];
  const last = new Map<string, { index: number; row: ErpRow }>();
  for (const [index, given] of rows.entries()) {
    const raw = withoutAbsent(erpRow, given);
    const read = erpRow.safeParse(raw);
    if (read.success) last.set(read.data.external_id, { index, row: read.data });
    else failures.push({ index, external_id: externalIdOf(raw), errors: fieldErrors(read, raw) });
  }
  const wanted = [...last.values()];
  const claims = await getProductClaims(wanted.map(({ row }) => ({ companyId, source: 'erp', externalId: row.external_id })));
  const claimOf = new Map(claims.map((claim) => [claim.externalId, claim]));
  const products = await getProductsByIds(
    companyId,
    claims.flatMap(({ productId }) => productId ?? []),
  );
  const productOf = new Map(products.map((product) => [product.id, product]));
  const takeId = reserveIds(companyId, wanted.filter(({ row }) => claimOf.get(row.external_id)?.productId === undefined).length);

  const outcomes = await inParallel(wanted, parallelRows, async ({ index, row }) => {
    const claim = claimOf.get(row.external_id);
    const product = claim?.productId === undefined ? undefined : productOf.get(claim.productId);
    const upserted = await upsertProduct(
      { companyId, source: 'erp', externalId: row.external_id, claim, product },
      (seen) => applyRow(seen, row),
      takeId,
    );
    if (!isProblem(upserted)) return upserted.outcome;
    failures.push({ index, external_id: row.external_id, errors: upserted.errors ?? {} });
    return 'failed' as const;
  });
  const count = (outcome: (typeof outcomes)[number]): number => outcomes.filter((each) => each === outcome).length;
  const errors = failures.toSorted((a, b) => a.index - b.index);
  const result = { created: count('created'), updated: count('updated'), unchanged: count('unchanged'), failed: errors.length, errors };
  const synced = result.created + result.updated + result.unchanged;
  return synced > 0
    ? { synced, ...result }
    : problem('validation_failed', { message: 'No product could be synced.', errors: byField(errors) });
};

const parallelRows = 48;

function applyRow(seen: Product, row: ErpRow): Product | Problem<'validation_failed'> | undefined {
  const { external_id: _id, updated_at, ...given } = row;
  if (updated_at !== undefined && seen.sourceAt !== undefined && updated_at < seen.sourceAt) return undefined;
  const { deletedAt, ...live } = seen;
  // A deleted product that is synced again returns under its id, active unless the row sets a status.
  const base: Product = deletedAt === undefined ? seen : { ...live, status: 'Active' };
  return withValues(updated_at === undefined ? base : { ...base, sourceAt: updated_at }, given);
}

/** Reserves ids for the new rows in one block, at the first use. Further ids are reserved one by one. */
function reserveIds(companyId: number, size: number): () => Promise<number> {
  let block: Promise<number> | undefined;
  let used = 0;
  return async () => {
    if (used >= size) return nextIds(companyId, productEntityName, 1);
    const offset = used++;
    block ??= nextIds(companyId, productEntityName, size);
    return (await block) + offset;
  };
}

function externalIdOf(raw: unknown): string | null {
  const id = typeof raw === 'object' && raw !== null && 'external_id' in raw ? raw.external_id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

const byField = (errors: ErpSyncResult['errors']): FieldErrors =>
  Object.fromEntries(
    errors.flatMap(({ index, errors: fields }) =>
      Object.entries(fields).map(([field, reasons]) => [`products.${index}.${field}`, reasons]),
    ),
  );
