/** DynamoDB's wire form as plain values; also for stream images. Sets become arrays. */
export function fromWire(value: unknown): unknown {
  const [type, inner] = Object.entries(value as Record<string, unknown>)[0] ?? [];
  switch (type) {
    case 'N':
      return Number(inner);
    case 'NULL':
      return null;
    case 'M':
      return itemFromWire(inner as Record<string, unknown>);
    case 'L':
      return (inner as unknown[]).map(fromWire);
    case 'NS':
      return (inner as string[]).map(Number);
    default:
      return inner;
  }
}

/** An item in wire form. The document client converts answers but not errors, so refused items need it too. */
export const itemFromWire = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, each]) => [name, fromWire(each)]));

/** An item as a record of the stream has it; bytes are base64 text. What is undefined is left out. */
export const itemToWire = (item: Readonly<Record<string, unknown>>): Record<string, WireValue> =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]): [string, WireValue][] => (value === undefined ? [] : [[name, toWire(value)]])),
  );

export type WireValue = Readonly<Record<string, unknown>>;

function toWire(value: unknown): WireValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { L: value.map(toWire) };
  return { M: itemToWire(Object(value) as Record<string, unknown>) };
}
