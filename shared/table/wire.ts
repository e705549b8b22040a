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
