/** Whole numbers from 0 to 2^53 in little room: in bytes of seven bits, the last byte of each without its high bit. */
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
