import type { Answer } from '../support/gateway-event.ts';
import type { Random } from '../support/random.ts';
import type { Merchant } from './fixture.ts';

/** The clients that call the shop in a run: an ERP, a third-party system and an office. Each makes one call after the other. */
export interface Clients {
  /** One client's next call, repeated until it is acknowledged. */
  act: () => Promise<void>;
  /** The expected records, by what was acknowledged. */
  rows: Map<string, string>;
  orders: Map<string, PlacedOrder>;
  products: Map<string, MadeProduct>;
  categories: Map<string, number>;
  wrong: string[];
}
export interface PlacedOrder {
  id: number;
  status: string;
  total: string;
  tracking: string | undefined;
  phone: string;
}
export interface MadeProduct {
  id: number;
  price: string;
  isGone: boolean;
}

/** Repeats a call, as a client does, until the response is not a failure. */
export type Until = (call: () => Promise<Answer>) => Promise<Answer>;

export const clientsOf = (me: Merchant, seed: number, random: Random, phone: string, until: Until): Clients => {
  const rows: Clients['rows'] = new Map();
  const orders: Clients['orders'] = new Map();
  const products: Clients['products'] = new Map();
  const categories: Clients['categories'] = new Map();
  const wrong: string[] = [];
  const pick = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
  let step = 0;
  let synced = 0;
  const expect = (answer: Answer, what: string, ...statuses: number[]): boolean => {
    const isExpected = statuses.includes(answer.status);
    if (!isExpected) wrong.push(`${what} was answered ${answer.status} ${answer.raw.slice(0, 200)}`);
    return isExpected;
  };
  const api = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer> => {
    const headers = { 'idempotency-key': `k${seed}-${step}` };
    return until(() => me.api(method, `/shop${path}`, body, headers));
  };
  const idOf = (answer: Answer): number => (answer.body as { data: { id: number } }).data.id;

  const sync = async (): Promise<void> => {
    const version = ++synced;
    const wanted = Array.from({ length: 4 }, (_, nth) => ({ external_id: `E${seed}-${nth}`, name: `Row ${version}`, price: version }));
    const some = version === 1 ? wanted : wanted.filter(() => random() < 0.6);
    if (some.length === 0) return;
    // Two machines of one ERP sync the same rows at the same time.
    const twice = random() < 0.4;
    const answer = await until(async () => {
      const [first, second] = await Promise.all([me.sync(some), twice ? me.sync(some) : undefined]);
      return second !== undefined && second.status !== 200 ? second : first;
    });
    if (expect(answer, 'A sync', 200)) for (const { external_id, name } of some) rows.set(external_id, name);
  };
  const place = async (): Promise<void> => {
    const number = `C${seed}-${orders.size}`;
    const data = {
      order_number: number,
      customer_name: 'Asha',
      customer_phone: `+${phone}`,
      items: [{ name: 'Mug', quantity: 2, price: 5 }],
    };
    const answer = await until(() => me.custom('order.placed', data));
    if (!expect(answer, `order.placed of ${number}`, 200)) return;
    const { order_id: id } = (answer.body as { data: { order_id: number } }).data;
    orders.set(number, { id, status: 'Pending', total: '10.00', tracking: undefined, phone });
  };
  const move = async (): Promise<void> => {
    const [number, order] = pick([...orders]) ?? [];
    if (number === undefined || order === undefined) return place();
    const status = pick(['Processing', 'Shipped', 'Delivered', 'Cancelled']) ?? '';
    const tracking = `A${seed}-${step}`;
    const kind = random();
    const answer =
      kind < 0.4
        ? await until(() => me.custom('order.status_updated', { order_number: number, status, tracking_number: tracking }))
        : kind < 0.7
          ? await api('PUT', `/orders/${order.id}/status`, { status, tracking_number: tracking })
          : await api('PUT', `/orders/${order.id}`, {
              status,
              items: [{ name: 'Cup', quantity: 1, price: step }],
              customer_phone: `+${phone}`,
              tracking_number: tracking,
            });
    if (!expect(answer, `A change of ${number}`, 200)) return;
    orders.set(number, { ...order, status, tracking, total: kind < 0.7 ? order.total : `${step}.00` });
  };
  const catalog = async (): Promise<void> => {
    const kind = random();
    const [slug, categoryId] = pick([...categories]) ?? [];
    if (kind < 0.25 || slug === undefined || categoryId === undefined) {
      const made = await api('POST', '/categories', { name: 'Mugs', slug: `s${seed}-${step}` });
      if (expect(made, 'A category', 201)) categories.set(`s${seed}-${step}`, idOf(made));
      return;
    }
    if (kind < 0.3) {
      // The response to the first attempt may have been lost.
      if (expect(await api('DELETE', `/categories/${categoryId}`), 'A category’s end', 204, 404)) categories.delete(slug);
      return;
    }
    if (kind < 0.38) {
      const renamed = await api('PUT', `/categories/${categoryId}`, { slug: `r${seed}-${step}` });
      if (!expect(renamed, 'A category’s new slug', 200)) return;
      categories.delete(slug);
      categories.set(`r${seed}-${step}`, categoryId);
      return;
    }
    const [name, product] = pick([...products]) ?? [];
    if (kind < 0.65 || name === undefined || product === undefined || product.isGone) {
      const external = random() < 0.5 ? { external_id: `X${seed}-${step}` } : {};
      const price = `${step}.00`;
      const made = await api('POST', '/products', { name: `Own ${seed}-${step}`, price, category_id: categoryId, ...external });
      if (expect(made, 'A product', 201)) products.set(`Own ${seed}-${step}`, { id: idOf(made), price, isGone: false });
      return;
    }
    if (kind < 0.9) {
      const price = `${step}.50`;
      const external = random() < 0.4 ? { external_id: `Y${seed}-${step}` } : {};
      const changed = await api('PUT', `/products/${product.id}`, { price, category_id: random() < 0.5 ? categoryId : null, ...external });
      if (expect(changed, 'A product’s change', 200)) products.set(name, { ...product, price });
      return;
    }
    if (expect(await api('DELETE', `/products/${product.id}`), 'A product’s end', 204, 404))
      products.set(name, { ...product, isGone: true });
  };
  return {
    act: () => {
      step++;
      const kind = random();
      return kind < 0.2 ? sync() : kind < 0.3 ? place() : kind < 0.5 ? move() : catalog();
    },
    rows,
    orders,
    products,
    categories,
    wrong,
  };
};
