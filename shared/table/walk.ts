/** Bounds of lists that are read record by record, because no index answers them. */

/** Read units of one call, after which a walk ends with a cursor: 1 MB, the most that one more query reads, is another 128. */
export const maxWalkUnits = 1_000;

/** Records up to which pages have numbers; deeper ones are reached by cursor. */
export const maxPageDepth = 10_000;

export const isTooDeep = (page: number, limit: number): boolean => page * limit > maxPageDepth;

export const pageTooDeep = (depth: number = maxPageDepth): string =>
  `Page numbers reach the first ${depth.toLocaleString('en-US')} records. Continue with cursor, from meta.next_cursor.`;
