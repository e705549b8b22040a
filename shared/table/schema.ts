/**
 * The one table (architecture 4): its keys and its indexes, read by the CDK app, the tests and docs/table.md.
 * Keys start with the tenant (`C#<company>`); global look-ups (a token's hash) hold what one conditional write needs, or a pointer.
 */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttl: 'ttl',
  /** Sparse: an item without the index's two attributes is not in it. */
  indexes: {
    /** Lists in an order that is not the base table's (newest conversation first). */
    list: { partitionKey: 'list_pk', sortKey: 'list_sk', projection: 'ALL' },
    /** What must be done at a time: minute and shard, then the time in milliseconds (15 digits). */
    due: { partitionKey: 'due_pk', sortKey: 'due_sk', projection: 'KEYS_ONLY' },
  },
} as const;

export type IndexName = keyof typeof tableSchema.indexes;

export const tenant = (companyId: number): string => `C#${companyId}`;

/** Numbers in sort keys, so that text order is number order up to 2^53. */
export const sortable = (value: number): string => String(value).padStart(16, '0');

/** Which of `shards` a value belongs to; stable for ever. */
export const shardOf = (value: string | number, shards: number): number => {
  let hash = 2166136261;
  for (const c of String(value)) hash = Math.imul(hash ^ c.charCodeAt(0), 16777619) >>> 0;
  return hash % shards;
};
