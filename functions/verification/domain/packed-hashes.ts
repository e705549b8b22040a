import { createHash } from 'node:crypto';

/** A set of domains in little room: 32-bit hashes, sorted, as their distances. */
export const domainHash = (domain: string): number => createHash('sha256').update(domain).digest().readUInt32BE(0);

/** Sorted hashes as their distances, each in bytes of seven bits, the last one without its high bit; in base64. */
export const pack = (values: readonly number[]): string => {
  const bytes: number[] = [];
  let before = 0;
  for (const value of [...new Set(values)].toSorted((a, b) => a - b)) {
    let left = value - before;
    before = value;
    for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
    bytes.push(left);
  }
  return Buffer.from(bytes).toString('base64');
};

export const unpack = (packed: string): ReadonlySet<number> => {
  const values = new Set<number>();
  let value = 0;
  let part = 0;
  let scale = 1;
  for (const byte of Buffer.from(packed, 'base64')) {
    part += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    value += part;
    values.add(value);
    part = 0;
    scale = 1;
  }
  return values;
};
