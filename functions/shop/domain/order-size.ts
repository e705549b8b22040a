import type { Order } from '../contract/stored.ts';
import { truncate } from './payload.ts';

/** An item of the table has 400 KB, and a source may report a thousand lines with names and links of any length. */
const maxBytes = 240_000;
const textLengths = [5_000, 1_000, 200, 60] as const;
const maxLines = 300;

/**
 * The order as it was reported, where it fits into an item. Otherwise its texts are cut as far as is needed, links that are longer are left out, and
 * last the lines behind the first 300. Its amounts stay those of all lines.
 */
export const fitted = (order: Order): Order => {
  if (sizeOf(order) <= maxBytes) return order;
  const shortened = textLengths.map((length) => withShortTexts(order, length));
  const whole = shortened.find((each) => sizeOf(each) <= maxBytes);
  if (whole) return whole;
  const last = shortened.at(-1) ?? order;
  return { ...last, items: last.items.slice(0, maxLines) };
};

const sizeOf = (order: Order): number => Buffer.byteLength(JSON.stringify(order));

/** What an order is found by is never cut, and half a link leads nowhere. */
const references = new Set(['externalId', 'currency', 'checkoutIds']);
const links = new Set(['url', 'image', 'trackingUrl']);

const withShortTexts = (order: Order, length: number): Order => shortened(order, '', length) as Order;

function shortened(value: unknown, name: string, length: number): unknown {
  if (references.has(name)) return value;
  if (typeof value === 'string') return value.length <= length ? value : links.has(name) ? undefined : truncate(value, length);
  if (Array.isArray(value)) return value.map((each) => shortened(each, name, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([inner, each]): [string, unknown][] => {
      const short = shortened(each, inner, length);
      return short === undefined ? [] : [[inner, short]];
    }),
  );
}
