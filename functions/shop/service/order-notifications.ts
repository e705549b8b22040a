import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { queueTemplate } from '../../messaging/service/queue-template.ts';
import type { ShopSettings } from '../contract/settings.ts';
import type { Order } from '../contract/stored.ts';
import { shouldNotify } from '../domain/order.ts';
import type { OrderStatus } from '../domain/status.ts';
import { valuesOfOrder, settingParameters } from '../domain/template-parameters.ts';
import { claimNotification } from '../store/cart.ts';
import { getOrderRow } from '../store/order.ts';
import { endCarts } from './carts.ts';
import { settingsOf } from './settings.ts';

/** Follows up an order that was created or changed its status: ends its carts and notifies its customer. Idempotent. */
export const followUpOrder = async (companyId: number, orderId: number, status: OrderStatus, isNew: boolean): Promise<void> => {
  const settings = await settingsOf(companyId);
  const hasTemplate = settings.order_notifications[status] !== undefined;
  if (!hasTemplate && !(isNew && settings.abandoned_cart.enabled)) return;
  const order = await getOrderRow(companyId, orderId, { consistent: true });
  if (!order) return;
  if (isNew) await endCarts(companyId, order, settings);
  if (hasTemplate && shouldNotify(order, status, isNew, now())) await notifyCustomer(order, status, settings);
};

/** Sends the company's template for the status to the customer, once for each order and status, however often the status is reached. */
async function notifyCustomer(order: Order, status: OrderStatus, settings: ShopSettings): Promise<void> {
  const template = settings.order_notifications[status];
  const { companyId, id, customerPhone, customerName } = order;
  if (template === undefined || customerPhone === undefined || !/^\d{8,15}$/.test(customerPhone)) return;
  const startedAt = await claimNotification({ companyId, orderId: id, status, at: now() });
  const outcome = await queueTemplate(
    companyId,
    {
      phone: customerPhone,
      name: customerName,
      template: settingParameters(template, valuesOfOrder({ ...order, status })),
      requiresConsent: false,
    },
    { operationId: `order-notice:${companyId}:${id}:${status}`, startedAt },
  );
  if (outcome === 'queued') metric('OrderNotices', 'Count', 1);
  else log.info('A customer was not notified of an order', { company_id: companyId, code: outcome });
}
