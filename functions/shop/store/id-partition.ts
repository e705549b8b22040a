import type { QueryPage } from '../../../shared/table/query.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

/**
 * Products and orders lie in blocks of 128 ids. Ids are dense and given in order of creation, so the list, newest first, walks the blocks
 * downward and needs no index; a bulk sync of 1,000 rows writes to eight partitions.
 */
export const partitionSize = 128;

export const partitionOf = (id: number): number => Math.floor(id / partitionSize);

export const partitionKey = (companyId: number, mark: string, id: number): { pk: string; sk: string } => ({
  pk: `${tenant(companyId)}#${mark}#${partitionOf(id)}`,
  sk: sortable(id),
});

interface PartitionedEntity<T> {
  key: (id: { companyId: number; id: number }) => { pk: string; sk: string };
  query: (query: {
    pk: string;
    between: readonly [string, string];
    descending: true;
    limit?: number;
    after?: Record<string, unknown> | undefined;
  }) => Promise<QueryPage<T>>;
}

const parallelReads = 8;

/**
 * A company's records below an id, newest first, in runs of what one round of reads gave. `expected` is how many the caller needs: the
 * first round asks for no more, later ones for whole blocks, several at once. Only the last read of a round may be cut by its limit.
 */
export async function* recordsBelow<T extends { id: number }>(
  entity: PartitionedEntity<T>,
  companyId: number,
  belowId: number,
  expected: number,
): AsyncGenerator<T[]> {
  let below = belowId;
  for (let wanted = expected; below > 1; wanted = partitionSize * parallelReads) {
    const reads: { from: number; below: number; limit: number }[] = [];
    for (let left = wanted, top = below; left > 0 && top > 1 && reads.length < parallelReads; ) {
      const from = partitionOf(top - 1) * partitionSize;
      const limit = Math.min(left, top - from);
      reads.push({ from, below: top, limit });
      left -= limit;
      top = from;
    }
    const runs = await Promise.all(reads.map((read) => listPartition(entity, companyId, read)));
    yield runs.flatMap(({ records }) => records);
    below = runs.find(({ next }) => next !== undefined)?.next ?? reads.at(-1)?.from ?? 0;
  }
}

/** One block's records, to its end or to the limit; `next`: below which id to go on when the limit came first. */
async function listPartition<T extends { id: number }>(
  entity: PartitionedEntity<T>,
  companyId: number,
  { from, below, limit }: { from: number; below: number; limit: number },
): Promise<{ records: T[]; next: number | undefined }> {
  const { pk } = entity.key({ companyId, id: from });
  const records: T[] = [];
  const whole = limit >= below - from;
  let after: Record<string, unknown> | undefined;
  do {
    const page = await entity.query({
      pk,
      between: [sortable(from), sortable(below - 1)],
      descending: true,
      ...(whole ? {} : { limit: limit - records.length }),
      after,
    });
    records.push(...page.items);
    after = page.last;
  } while (after && (whole || records.length < limit));
  const last = records.at(-1);
  return { records, next: after && last ? last.id : undefined };
}
