/**
 * The one table: its keys and its indexes, read by the CDK app, the tests and docs/table.md. Keys start with the tenant (`C#<company>`),
 * except for global look-ups such as the hash of a token.
 */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttl: 'ttl',
  /** Sparse: an item without the index's two attributes is not in it. */
  indexes: {
    /** Lists in another order than the base table's, such as newest conversation first. */
    list: { partitionKey: 'list_pk', sortKey: 'list_sk', projection: 'ALL' },
    /** Lists of what a user takes care of; only conversations are in it, and only assigned ones. */
    assignee: { partitionKey: 'assignee_pk', sortKey: 'assignee_sk', projection: 'ALL' },
    /** Items with a due time: the shard, then the time in milliseconds (15 digits). */
    due: { partitionKey: 'due_pk', sortKey: 'due_sk', projection: 'KEYS_ONLY' },
  },
} as const;

export type IndexName = keyof typeof tableSchema.indexes;

export const tenant = (companyId: number): string => `C#${companyId}`;

/** The company under whose key an item lies; undefined: under none. */
export const companyOfKey = (pk: string): number | undefined => {
  const [, company] = /^C#(\d+)(?:#|$)/.exec(pk) ?? [];
  return company === undefined ? undefined : Number(company);
};

/** Numbers in sort keys, so that text order is number order up to 2^53. */
export const sortable = (value: number): string => String(value).padStart(16, '0');

/** The shard of a value, by a hash that never changes: stored keys depend on it. */
export const shardOf = (value: string | number, shards: number): number => {
  let hash = 2166136261;
  for (const c of String(value)) hash = Math.imul(hash ^ c.charCodeAt(0), 16777619) >>> 0;
  return hash % shards;
};

/** On an item that a restore wrote: the copy of the table that it was written to (restored-item.ts). */
export const restoredAttribute = 'restoredTo';
