import { sortable, tenant } from '../../../shared/table/schema.ts';

/**
 * Products and orders are stored in partitions of 128 ids. Ids are dense and ascend with creation, so a list reads the partitions from the
 * newest down and needs no index, and a bulk sync of 1,000 rows writes to eight partitions.
 */
export const partitionSize = 128;

export const partitionOf = (id: number): number => Math.floor(id / partitionSize);

export const partitionKey = (companyId: number, prefix: string, id: number): { pk: string; sk: string } => ({
  pk: `${tenant(companyId)}#${prefix}#${partitionOf(id)}`,
  sk: sortable(id),
});

interface PartitionedEntity<T> {
  key: (id: { companyId: number; id: number }) => { pk: string; sk: string };
  collect: (query: { pk: string; between: readonly [string, string]; descending: true }, options?: { atMost?: number }) => Promise<T[]>;
}

const parallelReads = 8;

/** Records of a stretch of ids. */
export interface RecordsBelow<T> {
  /** Newest first. */
  records: readonly T[];
  /** The id below which the next read starts; 1 at the end. */
  below: number;
}

/**
 * A company's next records below an id, at most `count`, from at most eight partitions in parallel. Only the last partition is read in
 * part. There may be none although older ones exist: ids that were assigned and never used leave gaps.
 */
export const recordsBelow = async <T extends { id: number }>(
  entity: PartitionedEntity<T>,
  companyId: number,
  belowId: number,
  count: number,
): Promise<RecordsBelow<T>> => {
  const reads: PartitionRead[] = [];
  for (let left = count, top = belowId; left > 0 && top > 1 && reads.length < parallelReads; ) {
    const from = partitionOf(top - 1) * partitionSize;
    const limit = Math.min(left, top - from);
    reads.push({ from, below: top, limit });
    left -= limit;
    top = from;
  }
  const parts = await Promise.all(reads.map((read) => listPartition(entity, companyId, read)));
  const below = parts.find(({ next }) => next !== undefined)?.next ?? reads.at(-1)?.from ?? 1;
  return { records: parts.flatMap(({ records }) => records), below: Math.max(1, below) };
};

interface PartitionRead {
  from: number;
  below: number;
  limit: number;
}

/** One partition's records, to its end or to the limit. `next`: the id below which to continue after the limit. */
async function listPartition<T extends { id: number }>(
  entity: PartitionedEntity<T>,
  companyId: number,
  { from, below, limit }: PartitionRead,
): Promise<{ records: T[]; next: number | undefined }> {
  const { pk } = entity.key({ companyId, id: from });
  const isWhole = limit >= below - from;
  const query = { pk, between: [sortable(from), sortable(below - 1)], descending: true } as const;
  const records = await entity.collect(query, isWhole ? {} : { atMost: limit });
  return { records, next: !isWhole && records.length === limit ? records.at(-1)?.id : undefined };
}
