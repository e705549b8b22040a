import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import type { CheckoutUpdate } from '../contract/platform-event.ts';
import type { ShopSettings } from '../contract/settings.ts';
import type { Order } from '../contract/stored.ts';
import { maxCheckoutIds, applyCheckoutUpdate } from '../domain/cart.ts';
import { getCart, recordOrder, putCart } from '../store/cart.ts';
import { phoneDigits } from './customers.ts';
import { settingsOf } from './settings.ts';

/**
 * Abandoned carts: every change of a checkout moves the cart's timer. When the timer is due without an order, the customer gets one
 * reminder with the company's template, unless they declined marketing or quiet hours apply. Nothing is stored while the setting is off.
 * See docs/decisions/abandoned-carts.md.
 */
export const applyCheckout = async (companyId: number, update: CheckoutUpdate): Promise<void> => {
  const [own] = update.checkoutIds;
  const settings = await settingsOf(companyId);
  if (own === undefined || !settings.abandoned_cart.enabled) return;
  const key = sha256(`${update.source}#${own}`).slice(0, 32);
  const phone =
    update.customerPhone === undefined ? undefined : await phoneDigits(companyId, update.customerPhone, { country: update.phoneCountry });
  const delayMs = settings.abandoned_cart.delay_minutes * minuteMs;
  if (update.state === 'completed') {
    const keys = { checkoutIds: update.checkoutIds.slice(0, maxCheckoutIds), phone, email: update.customerEmail };
    await recordOrder(companyId, keys, update.at);
  }
  return retryOnConflict(maxAttempts, async () => {
    const next = applyCheckoutUpdate(await getCart(companyId, key), update, { companyId, key, phone, delayMs, at: now() });
    return next === undefined || (await putCart(next)).done ? undefined : conflict;
  });
};

/** Ends the carts of an order's checkout, phone and email, by one conditional write each. The claim of a reminder depends on these rows. */
export const endCarts = async (companyId: number, order: Order, settings: ShopSettings): Promise<void> => {
  if (!settings.abandoned_cart.enabled) return;
  const keys = {
    checkoutIds: (order.checkoutIds ?? []).slice(0, maxCheckoutIds),
    phone: order.customerPhone,
    email: order.customerEmail,
  };
  await recordOrder(companyId, keys, order.placedAt);
};

const maxAttempts = 12;
