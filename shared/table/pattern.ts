/** Access patterns: a store wraps each of its requests to the table in a pattern, and docs/table.md lists them. */
export interface PatternSpec {
  /** What the store reads from the table: "a contact by its phone". */
  question: string;
  entity: string;
  by:
    | 'GetItem'
    | 'BatchGetItem'
    | 'Query'
    | 'Scan'
    | 'PutItem'
    | 'UpdateItem'
    | 'DeleteItem'
    | 'TransactWriteItems'
    | 'BatchExecuteStatement';
  index?: 'list' | 'assignee' | 'due';
  /** Request units for items under 1 KB (writes) or 4 KB (reads), indexes included: "0.5 RRU". */
  units: string;
}

export const patterns: PatternSpec[] = [];

/** Names an access pattern; the function is returned as it is. */
export const pattern = <A extends readonly unknown[], R extends Promise<unknown> | AsyncIterable<unknown>>(
  spec: PatternSpec,
  query: (...args: A) => R,
): ((...args: A) => R) => {
  patterns.push(spec);
  return query;
};
