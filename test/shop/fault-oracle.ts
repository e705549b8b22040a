import { storedContact } from '../../functions/contacts/contract/stored.ts';
import { isLive as isLiveContact } from '../../functions/contacts/domain/contact.ts';
import { type StoredMessage, storedMessage } from '../../functions/messaging/contract/stored.ts';
import { storedConnection } from '../../functions/shop/contract/connection.ts';
import {
  type Order,
  type Product,
  publicProducts,
  storedCategory,
  storedOrder,
  storedProduct,
} from '../../functions/shop/contract/stored.ts';
import { isLiveProduct, isPublic } from '../../functions/shop/domain/product.ts';
import { fromMinor } from '../../functions/shop/domain/money.ts';
import type { Platform } from '../../lib/local/storeplatform/platform.ts';
import type { Clients } from './fault-clients.ts';
import type { PlatformScript } from './platform-script.ts';
import type { Merchant, Fixture } from './fixture.ts';

/** What one run sent and what was acknowledged: the oracle's own ledger. */
export interface RunRecord {
  seed: number;
  truth: PlatformScript;
  clients: Clients;
  /** The connected store, and the external ids that only its import contains. */
  store: { shop: string; own: string[] } | undefined;
}

/** Statuses with an order notification. */
export const notifiedStatuses = ['Processing', 'Shipped', 'Fulfilled', 'Delivered'] as const;

/** The violations after all queues are empty, by the table, the provider's ledger and the platform's own records. */
export const findViolations = async ({ fixture, platform, me, records }: Evidence): Promise<string[]> => {
  const wrong: string[] = [];
  const dump = await fixture.testApp.dump();
  const mine = dump.filter(({ pk }) => String(pk).startsWith(`C#${me.company.id}#`));
  const of = (kind: string) => mine.filter((item) => item['kind'] === kind);
  const shop: Shop = {
    products: of('shop-product').map((item) => storedProduct.parse(item)),
    orders: of('shop-order').map((item) => storedOrder.parse(item)),
    messages: of('message').map((item) => storedMessage.parse(item)),
    sentTo: me.sentTo,
  };
  for (const each of records) {
    const blame = (what: string): void => void wrong.push(`${each.seed}: ${what}`);
    for (const what of each.clients.wrong) blame(what);
    checkProducts(each, shop, blame);
    checkOrders(each, shop, blame);
    checkNotifications(each, shop, blame);
    checkCarts(each, shop, blame);
  }
  const blame = (what: string): void => void wrong.push(what);
  for (const what of ['source external id', 'api name'] as const)
    for (const [key, held] of Map.groupBy(shop.products.filter(isLiveProduct), keyBy[what]))
      if (key !== undefined && held.length > 1) blame(`${held.length} products have the ${what} ${key}`);
  for (const [key, held] of Map.groupBy(shop.orders, ({ source, externalId }) => `${source} ${externalId}`))
    if (held.length > 1) blame(`${held.length} orders have the external id ${key}`);

  const contacts = of('contact')
    .map((item) => storedContact.parse(item))
    .filter(isLiveContact);
  for (const [phone, held] of Map.groupBy(contacts, ({ phone: of }) => of))
    if (held.length > 1) blame(`${phone} is ${held.length} contacts`);
  for (const { number, customerPhone, contactId, redactedAt } of shop.orders)
    if (redactedAt === undefined && contacts.find(({ id }) => id === contactId)?.phone !== customerPhone)
      blame(`the customer of ${number} is no contact`);

  const requests = of('shop-privacy-request');
  for (const { seed, truth } of records) {
    const { phone, externalId } = truth.forgotten;
    const order = shop.orders.find((each) => each.externalId === externalId);
    if (order === undefined) blame(`${seed}: order ${externalId} is undefined`);
    if (order?.customerPhone !== undefined || order?.contactId !== undefined) blame(`${seed}: ${phone} is still in the order`);
    if (contacts.some((each) => each.phone === phone)) blame(`${seed}: ${phone} is still a contact`);
    const written = requests.filter((each) => (each['orderIds'] as number[]).includes(order?.id ?? 0)).length;
    if (written !== 1) blame(`${seed}: ${phone} asked to be forgotten, and ${written} requests are written down`);
  }

  const total = (name: string): number => Number(of('counter').find((item) => item['of'] === name)?.['total'] ?? 0);
  const compare = (what: string, is: number, recounted: number): void => {
    if (is !== recounted) blame(`${what}: ${is}, recounted ${recounted}`);
  };
  compare('products', total('shop-product'), shop.products.filter(isLiveProduct).length);
  compare('public products', total(publicProducts), shop.products.filter(isPublic).length);
  compare('orders', total('shop-order'), shop.orders.length);
  compare('contacts', total('contact'), contacts.length);
  const categories = of('shop-category').map((item) => storedCategory.parse(item));
  for (const { id, slug, productsCount } of categories)
    compare(`category ${slug}`, productsCount, shop.products.filter((each) => isLiveProduct(each) && each.categoryId === id).length);
  const wanted = records.flatMap(({ clients }) => [...clients.categories].map(([slug, id]) => `${slug} ${id}`)).sort();
  const held = categories.map(({ slug, id }) => `${slug} ${id}`).sort();
  if (JSON.stringify(held) !== JSON.stringify(wanted)) blame(`categories are ${held.join(', ')}, not ${wanted.join(', ')}`);

  const connections = of('shop-connection').map((item) => storedConnection.parse(item));
  for (const { seed, store } of records)
    if (store)
      checkStore(
        store,
        platform,
        connections.filter((each) => each.shop === store.shop),
        (what) => blame(`${seed}: ${what}`),
      );
  for (const spec of fixture.testApp.contexts.flatMap((context) => context.functions))
    if (spec.trigger === 'queue' && fixture.testApp.deadLettersOf(spec.queue).length > 0)
      blame(`${fixture.testApp.deadLettersOf(spec.queue).length} dead letters of ${spec.queue.name}`);
  return wrong;
};

interface Evidence {
  fixture: Fixture;
  platform: Platform;
  me: Merchant;
  records: readonly RunRecord[];
}
interface Shop {
  products: readonly Product[];
  orders: readonly Order[];
  messages: readonly StoredMessage[];
  sentTo: (phone: string) => string[];
}
type Report = (what: string) => void;

const keyBy = {
  'source external id': ({ source, externalId }: Product) => (externalId === undefined ? undefined : `${source} ${externalId}`),
  'api name': ({ source, name }: Product) => (source === 'api' ? name : undefined),
};

function checkProducts({ truth, clients, store }: RunRecord, { products }: Shop, blame: Report): void {
  const find = (source: string, externalId: string) =>
    products.find((each) => each.source === source && each.externalId === externalId && isLiveProduct(each));
  for (const { externalId, price, isGone } of truth.products) {
    const held = find('storeplatform', externalId);
    const shown = held && (held.status === 'Draft' ? 'gone' : fromMinor(held.price, held.currency));
    // A product that was deleted before its first update arrived may be missing.
    if (isGone ? held !== undefined && shown !== 'gone' : shown !== price)
      blame(`product ${externalId} is ${shown}, not ${isGone ? 'gone' : price}`);
  }
  for (const externalId of store?.own ?? []) if (!find('storeplatform', externalId)) blame(`product ${externalId} was not imported`);
  for (const [externalId, name] of clients.rows) {
    const held = find('erp', externalId);
    if (held?.name !== name) blame(`row ${externalId} is ${held?.name}, not ${name}`);
  }
  for (const [name, { id, price, isGone }] of clients.products) {
    const held = products.find((each) => each.id === id);
    const shown = held && (isLiveProduct(held) ? fromMinor(held.price, held.currency) : 'gone');
    if (held?.name !== name || shown !== (isGone ? 'gone' : price))
      blame(`${name} is ${held?.name} ${shown}, not ${isGone ? 'gone' : price}`);
  }
}

function checkOrders({ truth, clients, store }: RunRecord, { orders }: Shop, blame: Report): void {
  const compare = (
    held: Order | undefined,
    wanted: { status: string; total: string; tracking: string | undefined; phone: string },
  ): void => {
    const is = held && [held.status, fromMinor(held.total, held.currency), held.trackingNumber, held.customerPhone].join(' ');
    const should = [wanted.status, wanted.total, wanted.tracking, wanted.phone].join(' ');
    if (is !== should) blame(`order ${held?.number} is ${is}, not ${should}`);
  };
  for (const order of truth.orders)
    compare(
      orders.find((each) => each.externalId === order.externalId),
      order,
    );
  for (const order of clients.orders.values())
    compare(
      orders.find((each) => each.id === order.id),
      order,
    );
  for (const externalId of store?.own ?? [])
    if (!orders.some((each) => each.externalId === externalId && each.source === 'storeplatform'))
      blame(`order ${externalId} was not imported`);
}

/** Expects one notification for each status in the order's history that has a template. */
function checkNotifications({ truth, clients }: RunRecord, shop: Shop, blame: Report): void {
  const numbers = new Set([...truth.orders.map(({ number }) => number), ...clients.orders.keys()]);
  const phones = new Set([...truth.orders.map(({ phone }) => phone), ...[...clients.orders.values()].map(({ phone }) => phone)]);
  const wanted = shop.orders
    .filter(({ number }) => numbers.has(number))
    .flatMap(({ number, history }) =>
      [...new Set(history.filter((each) => !each.isStale && !each.isImported && !each.isRegression).map(({ to }) => to))]
        .filter((status) => (notifiedStatuses as readonly string[]).includes(status))
        .map((status) => `order_moved|Asha|${number}|${status}`),
    );
  checkSent([...phones], 'order_moved', wanted, shop, blame);
}

function checkCarts({ truth }: RunRecord, shop: Shop, blame: Report): void {
  for (const { phone, reminder } of truth.carts) checkSent([phone], 'cart_left', reminder === undefined ? [] : [reminder], shop, blame);
}

/**
 * Compares with the provider's ledger: each text once. A message may be missing when its process crashed between the claim and the call;
 * its row is then marked ambiguous.
 */
function checkSent(
  phones: readonly string[],
  template: string,
  wanted: readonly string[],
  { messages, sentTo }: Shop,
  blame: Report,
): void {
  const sent = phones.flatMap(sentTo).filter((text) => text.startsWith(template));
  for (const [text, all] of Map.groupBy(sent, (each) => each)) {
    if (all.length > 1) blame(`${text} was sent ${all.length} times, twice or more`);
    if (!wanted.includes(text)) blame(`${text} was not to be sent`);
  }
  const rows = messages.filter((each) => phones.includes(each.phone ?? '') && each.template?.name === template);
  if (rows.length !== wanted.length) blame(`${rows.length} messages for ${wanted.length} ${template} of ${phones.join(' and ')}`);
  const missing = wanted.filter((text) => !sent.includes(text));
  const unknown = rows.filter((row) => row.ambiguous).length;
  if (missing.length > unknown) blame(`${missing.join(', ')} never reached the customer`);
}

function checkStore(
  { shop, own }: NonNullable<RunRecord['store']>,
  platform: Platform,
  connections: readonly ReturnType<typeof storedConnection.parse>[],
  blame: Report,
): void {
  const [connection] = connections;
  if (connections.length !== 1) blame(`${shop} is connected ${connections.length} times`);
  if (connection?.status !== 'active') blame(`${shop} is ${connection?.status}`);
  const { status, orders, failed } = connection?.import ?? {};
  if (status !== 'completed' || orders !== own.length || failed !== 0)
    blame(`the import of ${shop} is ${status}: ${orders} orders, ${failed} failed`);
  const { subscriptions } = platform.shop(shop);
  if (subscriptions.length !== 10 || new Set(subscriptions.map(({ topic }) => topic)).size !== 10)
    blame(`${shop} has ${subscriptions.length} webhooks`);
}
