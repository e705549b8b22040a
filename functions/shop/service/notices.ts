import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { queueTemplate } from '../../messaging/service/queued-template.ts';
import type { ShopSettings } from '../contract/settings.ts';
import type { Order } from '../contract/stored.ts';
import { isNews } from '../domain/order.ts';
import type { OrderStatus } from '../domain/status.ts';
import { factsOfOrder, wordsOf } from '../domain/template-words.ts';
import { claimNotice } from '../store/cart.ts';
import { findOrder } from '../store/order.ts';
import { endCarts } from './carts.ts';
import { shopSettings } from './settings.ts';

/** An order came or moved on: the carts it ends, the customer it is told to. Any number of times, with the same effect. */
export const followOrder = async (companyId: number, orderId: number, status: OrderStatus, isNew: boolean): Promise<void> => {
  const settings = await shopSettings(companyId);
  const isAsked = settings.order_notifications[status] !== undefined;
  if (!isAsked && !(isNew && settings.abandoned_cart.enabled)) return;
  const order = await findOrder(companyId, orderId, true);
  if (!order) return;
  if (isNew) await endCarts(companyId, order, settings);
  if (isAsked && isNews(order, status, isNew, now())) await tellCustomer(order, status, settings);
};

/**
 * Tells the customer what their order became, with the company's template for it (S25): once for each order and status for ever, whatever
 * is repeated, and however the status was reached again.
 */
async function tellCustomer(order: Order, status: OrderStatus, settings: ShopSettings): Promise<void> {
  const template = settings.order_notifications[status];
  const { companyId, id, customerPhone, customerName } = order;
  if (template === undefined || customerPhone === undefined || !/^\d{8,15}$/.test(customerPhone)) return;
  const startedAt = await claimNotice({ companyId, orderId: id, status, at: now() });
  const outcome = await queueTemplate(
    companyId,
    { phone: customerPhone, name: customerName, words: wordsOf(template, factsOfOrder({ ...order, status })), isConsentNeeded: false },
    { operationId: `order-notice:${companyId}:${id}:${status}`, startedAt },
  );
  if (outcome === 'queued') metric('OrderNotices', 'Count', 1);
  else log.info('A customer is not told of an order', { company_id: companyId, code: outcome });
}
