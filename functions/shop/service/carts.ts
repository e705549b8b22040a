import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import type { SaidCheckout } from '../contract/said.ts';
import type { ShopSettings } from '../contract/settings.ts';
import type { Order } from '../contract/stored.ts';
import { maxCheckoutIds, toldCart } from '../domain/cart.ts';
import { findCart, markOrdered, saveCart } from '../store/cart.ts';
import { digitsOf } from './customers.ts';
import { shopSettings } from './settings.ts';

/**
 * Abandoned carts (S24, S25): a cart carries a timer from its last change; when it rings and no order came, the person is reminded once,
 * with the company's template, if they have not said no and it is no quiet hour. Off until the company sets it: then nothing is kept.
 */
export const takeCheckout = async (companyId: number, said: SaidCheckout): Promise<void> => {
  const [own] = said.checkoutIds;
  const settings = await shopSettings(companyId);
  if (own === undefined || !settings.abandoned_cart.enabled) return;
  const key = sha256(`${said.source}#${own}`).slice(0, 32);
  const phone = said.customerPhone === undefined ? undefined : digitsOf(said.customerPhone, { country: said.phoneCountry });
  const delayMs = settings.abandoned_cart.delay_minutes * 60_000;
  if (said.state === 'completed') {
    const traits = { checkoutIds: said.checkoutIds.slice(0, maxCheckoutIds), phone, email: said.customerEmail };
    await markOrdered(companyId, traits, said.at);
  }
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const next = toldCart(await findCart(companyId, key), said, { companyId, key, phone, delayMs, at: now() });
    if (next === undefined || (await saveCart(next)).done) return;
  }
  throw new Contended();
};

/** An order ends the carts of its checkout, phone and email: each by one write that their reminder depends on. */
export const endCarts = async (companyId: number, order: Order, settings: ShopSettings): Promise<void> => {
  if (!settings.abandoned_cart.enabled) return;
  const traits = {
    checkoutIds: (order.checkoutIds ?? []).slice(0, maxCheckoutIds),
    phone: order.customerPhone,
    email: order.customerEmail,
  };
  await markOrdered(companyId, traits, order.placedAt);
};

const maxAttempts = 12;

class Contended extends Error {
  override name = 'TransactionConflict';
}
