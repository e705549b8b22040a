/**
 * The members of a group or tag: one bit per contact id, 4,096 ids a row (512 bytes), so that a group of a million contacts has about
 * 250 rows. Trailing zero bytes are not stored.
 */
export const memberSpan = 4_096;

export const memberSpanOf = (id: number): number => Math.floor(id / memberSpan);

export type Bits = Uint8Array<ArrayBufferLike>;

export const withBit = (bits: Bits, id: number, on: boolean): Bits => {
  const [byte, mask] = [(id % memberSpan) >> 3, 1 << (id & 7)];
  const next = new Uint8Array(Math.max(bits.length, byte + 1));
  next.set(bits);
  next[byte] = on ? (next[byte] ?? 0) | mask : (next[byte] ?? 0) & ~mask;
  let length = next.length;
  while (length > 0 && next[length - 1] === 0) length--;
  return next.slice(0, length);
};

/** The ids of a row, greatest first. */
export const idsOf = (span: number, bits: Bits): number[] => {
  const ids: number[] = [];
  for (let byte = bits.length - 1; byte >= 0; byte--)
    for (let bit = 7; bit >= 0; bit--) if ((bits[byte] ?? 0) & (1 << bit)) ids.push(span * memberSpan + byte * 8 + bit);
  return ids;
};

/** Intersection (`and`) or union (`or`) of sets of ids that are sorted greatest first. */
export const combineIds = (sets: readonly (readonly number[])[], by: 'and' | 'or'): number[] => {
  const [first = [], ...rest] = sets;
  if (rest.length === 0) return [...first];
  if (by === 'or') return [...new Set(sets.flat())].sort((a, b) => b - a);
  const others = rest.map((set) => new Set(set));
  return first.filter((id) => others.every((set) => set.has(id)));
};
