/** Live contacts per 1,024 ids, 128 counts a row: they locate page N of the list without reading the pages before it. */
export const chunkSize = 1_024;
export const chunksPerRow = 128;

export const chunkOf = (id: number): number => Math.floor(id / chunkSize);

export const withChunkCount = (counts: readonly number[], chunk: number, by: number): number[] => {
  const place = chunk % chunksPerRow;
  const next = Array.from({ length: Math.max(counts.length, place + 1) }, (_, i) => counts[i] ?? 0);
  next[place] = (next[place] ?? 0) + by;
  return next;
};
