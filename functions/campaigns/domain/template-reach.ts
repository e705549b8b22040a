/** Which contacts a template reached: one bit an id, 4,096 ids a row. Trailing zero bytes are not kept. */
const span = 4_096;

export const reachSpanOf = (id: number): number => Math.floor(id / span);

export const hasId = (bits: Uint8Array, id: number): boolean => ((bits[(id % span) >> 3] ?? 0) & (1 << (id & 7))) !== 0;

export const withIds = (bits: Uint8Array, ids: readonly number[]): Uint8Array => {
  const length = Math.max(bits.length, ...ids.map((id) => ((id % span) >> 3) + 1));
  const next = new Uint8Array(length);
  next.set(bits);
  for (const id of ids) {
    const byte = (id % span) >> 3;
    next[byte] = (next[byte] ?? 0) | (1 << (id & 7));
  }
  return next;
};
