import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import type { CheckoutUpdate } from '../contract/platform-event.ts';
import type { ShopSettings } from '../contract/settings.ts';
import type { Order } from '../contract/stored.ts';
import { maxCheckoutIds, applyCheckoutUpdate } from '../domain/cart.ts';
import { getCart, recordOrder, putCart } from '../store/cart.ts';
import { digitsOf } from './customers.ts';
import { settingsOf } from './settings.ts';

/**
 * Abandoned carts (S24, S25): a cart carries a timer from its last change; when it rings and no order came, the person is reminded once,
 * with the company's template, if they have not said no and it is no quiet hour. Off until the company sets it: then nothing is kept.
 */
export const applyCheckout = async (companyId: number, update: CheckoutUpdate): Promise<void> => {
  const [own] = update.checkoutIds;
  const settings = await settingsOf(companyId);
  if (own === undefined || !settings.abandoned_cart.enabled) return;
  const key = sha256(`${update.source}#${own}`).slice(0, 32);
  const phone = update.customerPhone === undefined ? undefined : digitsOf(update.customerPhone, { country: update.phoneCountry });
  const delayMs = settings.abandoned_cart.delay_minutes * 60_000;
  if (update.state === 'completed') {
    const keys = { checkoutIds: update.checkoutIds.slice(0, maxCheckoutIds), phone, email: update.customerEmail };
    await recordOrder(companyId, keys, update.at);
  }
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const next = applyCheckoutUpdate(await getCart(companyId, key), update, { companyId, key, phone, delayMs, at: now() });
    if (next === undefined || (await putCart(next)).done) return;
  }
  throw new Contended();
};

/** An order ends the carts of its checkout, phone and email: each by one write that their reminder depends on. */
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

class Contended extends Error {
  override name = 'TransactionConflict';
}
