/** Whole numbers from 0 to 2^53 as LEB128-like varints: seven bits a byte, the high bit set on every byte but the last. */
export const encodeVarints = (values: readonly number[]): Buffer => {
  const bytes: number[] = [];
  for (const value of values) {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
    bytes.push(left);
  }
  return Buffer.from(bytes);
};

export const decodeVarints = (bytes: Uint8Array): number[] => {
  const values: number[] = [];
  let value = 0;
  let scale = 1;
  for (const byte of bytes) {
    value += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    values.push(value);
    value = 0;
    scale = 1;
  }
  return values;
};
