/** Live contacts by 1,024 ids, 128 numbers a row: where page N begins without walking there. */
export const chunkSize = 1_024;
export const chunksPerRow = 128;

export const chunkOf = (id: number): number => Math.floor(id / chunkSize);

export const withCount = (counts: readonly number[], chunk: number, by: number): number[] => {
  const place = chunk % chunksPerRow;
  const next = Array.from({ length: Math.max(counts.length, place + 1) }, (_, i) => counts[i] ?? 0);
  next[place] = (next[place] ?? 0) + by;
  return next;
};
