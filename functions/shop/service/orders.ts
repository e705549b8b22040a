import { type FieldErrors, invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/table/page.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { contactCardsWithEmail } from '../../contacts/service/contacts.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import type { ItemBody, OrderBody, OrderQuery, OrderRecord, StatusBody } from '../contract/order.ts';
import { type Order, orderEntityName, type OrderItem, type Product } from '../contract/stored.ts';
import { fromMinor, toMinor } from '../domain/money.ts';
import { changedOrder, matchingOrder, orderRecordOf, totalOfItems, withGivenFields, withStatus } from '../domain/order.ts';
import { isLiveProduct } from '../domain/product.ts';
import { isForward, orderStatuses, type OrderStatus } from '../domain/status.ts';
import { getOrderRow, putOrderReference, listOrdersBelow, putOrder } from '../store/order.ts';
import { getProductsByIds } from '../store/product.ts';
import { customerOf } from './customers.ts';
import { readPage } from './record-pages.ts';
import { settingsOf } from './settings.ts';

/** Orders, newest first, each with its contact. */
export const listOrders = async (
  companyId: number,
  { page, limit, cursor, ...filters }: OrderQuery,
): Promise<Page<OrderRecord> | Problem<'invalid_cursor' | 'validation_failed'>> => {
  const { lastId, total } = await getCounter(companyId, orderEntityName);
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '');
  const phone = filters.customer_phone ? await readCompanyPhone(companyId, filters.customer_phone) : undefined;
  const found = await readPage<Order>({
    scope: `orders:${companyId}:${JSON.stringify(filters)}`,
    page,
    limit,
    cursor,
    lastId,
    total: isFiltered ? undefined : total,
    matches: matchingOrder(filters, phone?.ok ? phone.digits : undefined),
    records: (belowId, count) => listOrdersBelow(companyId, belowId, count),
  });
  return isProblem(found) ? found : { ...found, items: await toOrderRecords(companyId, found.items) };
};

export const getOrder = async (companyId: number, id: number): Promise<OrderRecord | Problem<'not_found'>> => {
  const order = await getOrderRow(companyId, id);
  return order ? toOrderRecord(order) : problem('not_found');
};

type UpdateProblem = Problem<'not_found' | 'validation_failed' | 'transition_refused' | 'conflict'>;

/** Updates an order. An empty `items` keeps the lines; other items replace them, and the total becomes their sum unless given. */
export const updateOrder = async (companyId: number, id: number, body: OrderBody): Promise<OrderRecord | UpdateProblem> => {
  const phone = body.customer_phone ? await readCompanyPhone(companyId, body.customer_phone) : undefined;
  if (phone?.ok === false) return invalid('customer_phone', phone.reason);
  const [products, customer] = await Promise.all([
    getProductsByIds(
      companyId,
      body.items.flatMap(({ product_id }) => product_id ?? []),
    ),
    body.customer_phone
      ? customerOf(companyId, {
          phone: body.customer_phone,
          name: body.customer_name ?? undefined,
          email: body.customer_email ?? undefined,
        })
      : undefined,
  ]);
  return modifyOrderWithStatus(companyId, id, body.status, (order) => {
    const next = withGivenFields(order, fieldsOf(body));
    const errors: FieldErrors = {};
    if (body.items.length > 0) {
      next.items = body.items.map((item, index) => toOrderItem(item, index, order.currency, products, errors));
      next.total = totalOfItems(next.items);
    }
    if (body.total_amount !== undefined) {
      const total = toMinor(body.total_amount, order.currency);
      if (total.ok) next.total = total.minor;
      else errors['total_amount'] = [total.reason];
    }
    if (Object.keys(errors).length > 0) return problem('validation_failed', { errors });
    if (customer?.phone !== undefined) next.customerPhone = customer.phone;
    if (customer?.contactId !== undefined) next.contactId = customer.contactId;
    return next;
  });
};

/** Updates an order's status, and its tracking where given. */
export const updateOrderStatus = (companyId: number, id: number, body: StatusBody): Promise<OrderRecord | UpdateProblem> =>
  modifyOrderWithStatus(companyId, id, body.status, (order) => withGivenFields(order, fieldsOf(body)));

/**
 * Applies `change` to the stored order and retries on a conflict. New tracking numbers become references to it. With a `deliveryKey` the
 * delivery is recorded in the same transaction; a delivery that was applied before changes nothing.
 */
export const modifyOrder = async <P extends Problem>(
  companyId: number,
  id: number,
  change: (order: Order) => Order | P,
  { deliveryKey }: { deliveryKey?: string | undefined } = {},
): Promise<ModifiedOrder | P | Problem<'not_found' | 'conflict'>> => {
  let current = await getOrderRow(companyId, id);
  return retryOnConflict<ModifiedOrder | P | Problem<'not_found' | 'conflict'>>(
    12,
    async () => {
      if (!current) return problem('not_found');
      const wanted = change(current);
      if (isRejected(wanted)) return wanted;
      const order = changedOrder(current, wanted, now());
      if (order === undefined) return { order: current, isChanged: false };
      if (order.trackingNumber !== undefined && order.trackingNumber !== current.trackingNumber)
        await putOrderReference(companyId, 'tracking', order.trackingNumber, id);
      const written = await putOrder(order, { deliveryKey });
      if (written === 'done') return { order, isChanged: true };
      if (written === 'applied') return { order: current, isChanged: false };
      current = await getOrderRow(companyId, id, { consistent: true });
      return conflict;
    },
    () => problem('conflict'),
  );
};

export interface ModifiedOrder {
  order: Order;
  isChanged: boolean;
}

export const toOrderRecord = async (order: Order): Promise<OrderRecord> => {
  const [record] = await toOrderRecords(order.companyId, [order]);
  return record ?? orderRecordOf(order, new Map());
};

async function modifyOrderWithStatus(
  companyId: number,
  id: number,
  status: OrderStatus,
  change: (order: Order) => Order | Problem<'validation_failed'>,
): Promise<OrderRecord | UpdateProblem> {
  const { strict_order_transitions: isStrict } = await settingsOf(companyId);
  const changed = await modifyOrder<Problem<'validation_failed' | 'transition_refused'>>(companyId, id, (order) => {
    if (isStrict && !isForward(order.status, status))
      return problem('transition_refused', {
        message: `An order cannot change from ${order.status} to ${status}.`,
        details: { from: order.status, to: status, allowed: orderStatuses.filter((each) => isForward(order.status, each)) },
      });
    const next = change(order);
    return isProblem(next) ? next : withStatus(next, status, 'api', now());
  });
  return isProblem(changed) ? changed : toOrderRecord(changed.order);
}

async function toOrderRecords(companyId: number, orders: readonly Order[]): Promise<OrderRecord[]> {
  const ids = [...new Set(orders.flatMap(({ contactId }) => contactId ?? []))];
  const cards = new Map((await contactCardsWithEmail(companyId, ids)).map((card) => [card.id, card]));
  return orders.map((order) => orderRecordOf(order, cards));
}

/** An order line of a request. A product's own name and price fill missing ones. */
function toOrderItem(item: ItemBody, index: number, currency: string, products: readonly Product[], errors: FieldErrors): OrderItem {
  const product = products.find(({ id }) => id === item.product_id);
  const reject = (field: string, reason: string): 0 => {
    errors[`items.${index}.${field}`] = [reason];
    return 0;
  };
  const minor = (field: 'price' | 'total', decimal: string): number => {
    const read = toMinor(decimal, currency);
    return read.ok ? read.minor : reject(field, read.reason);
  };
  if (item.product_id != null && !isLiveProduct(product)) reject('product_id', 'There is no such product.');
  if (item.price === undefined && product?.isUnpriced) reject('price', 'The product has no price; give the price of one piece.');
  const price = item.price ?? (product && fromMinor(product.price, product.currency)) ?? '0';
  return {
    ...(item.id ? { id: item.id } : {}),
    ...(item.product_id == null ? {} : { productId: item.product_id }),
    ...(item.external_id ? { externalId: item.external_id } : {}),
    ...((item.sku ?? product?.sku) ? { sku: item.sku ?? product?.sku } : {}),
    name: item.name || product?.name || '',
    quantity: item.quantity,
    price: minor('price', price),
    ...(item.total === undefined ? {} : { total: minor('total', item.total) }),
    ...((item.image ?? product?.image) ? { image: item.image ?? product?.image } : {}),
  };
}

const fieldsOf = (body: StatusBody & Partial<OrderBody>) => ({
  trackingNumber: body.tracking_number,
  trackingUrl: body.tracking_url,
  notes: body.notes,
  customerName: body.customer_name,
  customerEmail: body.customer_email,
});

const isRejected = <P extends Problem>(value: Order | P): value is P => 'problem' in value;
