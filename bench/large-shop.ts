import { applyCheckoutUpdate } from '../functions/shop/domain/cart.ts';
import { applyOrderUpdate, newOrder, withStatus } from '../functions/shop/domain/order.ts';
import { isPublic, newProduct, withValues } from '../functions/shop/domain/product.ts';
import type { OrderStatus } from '../functions/shop/domain/status.ts';
import {
  orderEntityName,
  orderSources,
  productEntityName,
  publicProducts,
  type Order,
  type Product,
} from '../functions/shop/contract/stored.ts';
import { cartEntity } from '../functions/shop/store/cart.ts';
import { categoryEntity } from '../functions/shop/store/category.ts';
import { orderClaimEntity, orderEntity } from '../functions/shop/store/order.ts';
import { productClaimEntity, productEntity } from '../functions/shop/store/product.ts';
import { counterEntity } from '../shared/table/counter.ts';
import { unwrap } from '../test/support/company.ts';
import { seeded } from '../test/support/random.ts';
import { batches, type Contact } from './large-contacts.ts';

export interface ShopSize {
  orders: number;
  products: number;
  categories: number;
  carts: number;
}

const dayMs = 86_400_000;
const projected = { rev: 1, checkpoints: {} };

/**
 * Categories, products, orders and carts as the product would have written them, by its own rules, counters and claims included.
 *
 * @param customers who orders: the contacts of the first ids
 * @param now epoch milliseconds; orders were placed over the year before, carts changed over the 20 days before
 */
export async function loadShop(companyId: number, size: ShopSize, customers: readonly Contact[], now: number): Promise<void> {
  const writer = batches();
  const random = seeded(31);
  const counts = new Map<number, number>();
  let shown = 0;
  const products: Product[] = [];
  for (let id = 1; id <= size.products; id++) {
    const product = productOf(companyId, id, size, random, now);
    if (isPublic(product)) shown++;
    if (product.categoryId !== undefined) counts.set(product.categoryId, (counts.get(product.categoryId) ?? 0) + 1);
    products.push(product);
    const { source, externalId } = product;
    await writer.put(productEntity.stored(product));
    if (externalId !== undefined)
      await writer.put(productClaimEntity.stored({ companyId, source, externalId, productId: id, at: product.createdAt }));
  }
  for (let id = 1; id <= size.categories; id++) {
    const madeAt = now - 400 * dayMs + id;
    const named = { name: `Category ${id}`, slug: `category-${id}` };
    await writer.put(
      categoryEntity.stored({
        companyId,
        id,
        ...named,
        productsCount: counts.get(id) ?? 0,
        ...projected,
        createdAt: madeAt,
        updatedAt: madeAt,
      }),
    );
  }
  for (let id = 1; id <= size.orders; id++) {
    const place = Math.floor(random() * customers.length);
    const order = orderOf(companyId, id, { size, products, customerId: place + 1, customer: at(customers, place), random, now });
    await writer.put(orderEntity.stored(order));
    const claim = { companyId, orderId: id, rev: 0 };
    await writer.put(orderClaimEntity.stored({ ...claim, by: 'external', value: `${order.source}#${order.externalId}` }));
    await writer.put(orderClaimEntity.stored({ ...claim, by: 'number', value: order.number }));
  }
  for (let nth = 0; nth < size.carts; nth++) {
    const customer = at(customers, nth % customers.length);
    await writer.put(cartEntity.stored(cartOf(companyId, nth, customer, now - Math.floor((1 - nth / size.carts) * 20 * dayMs) - 60_000)));
  }
  await writer.end();
  const counted = [
    { of: productEntityName, lastId: size.products, total: size.products },
    { of: publicProducts, lastId: 0, total: shown },
    { of: orderEntityName, lastId: size.orders, total: size.orders },
    { of: 'shop-category', lastId: size.categories, total: 0 },
  ];
  for (const counter of counted) await counterEntity.put({ companyId, ...counter, ...projected });
}

type Random = () => number;

/** Nine of ten are active, one of two a store platform's. */
function productOf(companyId: number, id: number, size: ShopSize, random: Random, now: number): Product {
  const source = random() < 0.5 ? 'storeplatform' : 'api';
  const at = now - Math.floor((1 - id / size.products) * 500 * dayMs) - 60_000;
  const draft = newProduct(companyId, id, source, `P-${id}`, at);
  return unwrap(
    withValues(draft, {
      name: `${pick(random, ['Oak table', 'Linen shirt', 'Rye bread', 'Garden lamp', 'Wool rug'])} number ${id}`,
      description: 'Made in small lots, sent within three days, and taken back within thirty.',
      price: `${5 + Math.floor(random() * 500)}.50`,
      currency: 'EUR',
      stock_quantity: random() < 0.1 ? 0 : Math.floor(random() * 90),
      status: random() < 0.9 ? 'Active' : random() < 0.5 ? 'Draft' : 'Archived',
      sku: `SKU-${id}`,
      category_id: 1 + Math.floor(random() * size.categories),
    }),
  );
}

interface OrderSeed {
  size: ShopSize;
  products: readonly Product[];
  customerId: number;
  customer: Contact;
  random: Random;
  now: number;
}

/** Old ones have ended; one of fifty was refunded. */
function orderOf(companyId: number, id: number, { size, products, customerId, customer, random, now }: OrderSeed): Order {
  const placedAt = now - Math.floor((1 - id / size.orders) * 365 * dayMs) - 60_000;
  const items = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, nth) => {
    const product = pick(random, products);
    return { id: `${id}-${nth}`, productExternalId: `P-${product.id}`, name: product.name, quantity: 1 + nth, price: '19.90' };
  });
  const update = {
    kind: 'order' as const,
    source: pick(random, orderSources),
    externalId: `O-${id}`,
    number: String(10_000 + id),
    status: 'Pending' as const,
    currency: 'EUR',
    at: placedAt,
    placedAt,
    customerName: customer.name,
    customerPhone: customer.phone,
    customerEmail: `customer${customerId}@bench.example`,
    items,
    address: { street: `Main street ${id % 200}`, city: customer.city, zip: '12345' },
  };
  const created = applyOrderUpdate(
    newOrder(companyId, id, update, placedAt),
    update,
    { phone: customer.phone, contactId: customerId },
    placedAt,
  );
  const steps = stepsOf(random, placedAt > now - 5 * dayMs);
  return steps.reduce<Order>(
    (order, status, nth) => ({ ...withStatus(order, status, update.source, placedAt + (nth + 1) * 3_600_000), updatedAt: placedAt }),
    { ...created, version: 1 },
  );
}

function stepsOf(random: Random, isNew: boolean): OrderStatus[] {
  const drawn = random();
  if (isNew) return drawn < 0.5 ? [] : drawn < 0.8 ? ['Processing'] : ['Processing', 'Shipped'];
  if (drawn < 0.04) return ['Cancelled'];
  const sent: OrderStatus[] = ['Processing', 'Shipped', 'Delivered'];
  return drawn < 0.06 ? [...sent, 'Refunded'] : sent;
}

function cartOf(companyId: number, nth: number, customer: Contact, at: number) {
  const update = {
    kind: 'checkout' as const,
    source: 'checkout' as const,
    checkoutIds: [`C-${nth}`],
    state: 'open' as const,
    at,
    customerName: customer.name,
    customerPhone: customer.phone,
    url: `https://shop.example/cart/${nth}`,
    total: '49.90',
    currency: 'EUR',
    itemNames: ['Rye bread', 'Oak table'],
  };
  const about = { companyId, key: String(nth).padStart(32, '0'), phone: customer.phone, delayMs: 3_600_000, at };
  const cart = applyCheckoutUpdate(undefined, update, about);
  if (!cart) throw new Error('A first checkout made no cart.');
  const { dueAt: _due, ...ended } = cart;
  return { ...ended, state: nth % 3 === 0 ? ('recovered' as const) : ('abandoned' as const), rev: 1 };
}

const pick = <T>(random: Random, from: readonly T[]): T => at(from, Math.floor(random() * from.length));

function at<T>(from: readonly T[], place: number): T {
  const found = from[place];
  if (found === undefined) throw new Error('There is nothing to pick from.');
  return found;
}
