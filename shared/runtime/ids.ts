import { createHash, randomBytes } from 'node:crypto';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 48 bits of time, 80 of randomness, sorts by time. */
export const ulid = (epochMs: number, random: Buffer = randomBytes(10)): string => {
  let time = '';
  for (let left = epochMs, i = 0; i < 10; i++, left = Math.floor(left / 32)) time = crockford[left % 32] + time;
  let tail = '';
  for (let i = 0, bits = 0, held = 0; i < 10; i++) {
    held = (held << 8) | (random[i] ?? 0);
    for (bits += 8; bits >= 5; bits -= 5) tail += crockford[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return time + tail;
};

/** Epoch milliseconds in a ULID's first ten characters. */
export const ulidTime = (value: string): number => Array.from(value.slice(0, 10)).reduce((sum, c) => sum * 32 + crockford.indexOf(c), 0);

/** A UUID of version 7: 48 bits of time, 74 of randomness; in lower case it sorts by time. */
export const uuidV7 = (epochMs: number, random: Buffer = randomBytes(10)): string => {
  const variant = ((random[2] ?? 0) & 0x3f) | 0x80;
  const [time, tail] = [epochMs.toString(16).padStart(12, '0'), random.toString('hex')];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(1, 4)}-${variant.toString(16)}${tail.slice(6, 8)}-${tail.slice(8, 20)}`;
};

/** The least and the greatest UUID of version 7 of a millisecond. */
export const uuidV7Bounds = (epochMs: number): readonly [string, string] => [
  uuidV7(epochMs, Buffer.alloc(10)),
  uuidV7(epochMs, Buffer.alloc(10, 0xff)),
];

/** Whether a UUID says when it was made. */
export const isUuidV7 = (id: string): boolean => id[14] === '7';

/**
 * A message id: 32 bits of seconds, then 21 bits hashed from `seed`. It sorts by time and fits 53 bits. The same seed and second give the
 * same id, so a redelivered webhook or a repeated operation finds its own row.
 */
export const messageId = (epochMs: number, seed: string): number =>
  Math.floor(epochMs / 1_000) * 2 ** 21 + (createHash('sha256').update(seed).digest().readUInt32BE(0) & 0x1fffff);

/** The second that a message id holds, epoch seconds. */
export const secondOf = (id: number): number => Math.floor(id / 2 ** 21);

export const sha256 = (value: string | Buffer): string => createHash('sha256').update(value).digest('hex');
