import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { queueTemplate } from '../../messaging/service/queued-template.ts';
import type { SaidCheckout } from '../contract/said.ts';
import type { ShopSettings } from '../contract/settings.ts';
import type { Cart, Order } from '../contract/stored.ts';
import { judgeCart, maxCheckoutIds, toldCart } from '../domain/cart.ts';
import { quietUntil } from '../domain/quiet-hours.ts';
import { factsOfCart, wordsOf } from '../domain/template-words.ts';
import { claimReminder, findCart, findMarks, markOrdered, saveCart } from '../store/cart.ts';
import { digitsOf } from './customers.ts';
import { cartTemplate, shopSettings } from './settings.ts';

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

/** A cart's timer rang: what is to be done is worked out from what is stored now. */
export const lookAtCart = async (companyId: number, key: string, dueAtMs: number): Promise<void> => {
  // placed with its whole delay: early by no more than two clocks differ
  const earlyMs = dueAtMs - now();
  if (earlyMs > 5_000) throw new Error('A cart was looked at long before its time.');
  if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs));
  const settings = await shopSettings(companyId);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const cart = await findCart(companyId, key);
    if (cart?.state === 'claimed') return remind(cart, settings);
    if (cart?.state !== 'open' || cart.dueAt !== dueAtMs) return;
    const { dueAt: _due, ...rest } = cart;
    const at = now();
    const verdict = judgeCart(cart, await findMarks(companyId, cart), rulesOf(settings), at);
    const step = { rev: cart.rev + 1, updatedAt: at };
    switch (verdict.do) {
      case 'remind':
        if (await claimReminder(cart, at)) return remind({ ...rest, ...step, state: 'claimed', remindedAt: at }, settings);
        break;
      case 'wait':
        if ((await saveCart({ ...cart, ...step, dueAt: verdict.untilMs })).done) return;
        break;
      case 'end':
        if ((await saveCart({ ...rest, ...step, state: verdict.state })).done) return;
        break;
      case 'withhold':
        if ((await saveCart({ ...rest, ...step, state: 'abandoned', withheld: verdict.reason })).done) return;
        break;
    }
  }
  throw new Contended();
};

/** The claimed reminder: its message's row is the same however often this runs; then the cart says what came of it. */
async function remind(cart: Cart, settings: ShopSettings): Promise<void> {
  const { companyId, key, phone, remindedAt } = cart;
  const template = cartTemplate(settings);
  const outcome =
    template && phone !== undefined && remindedAt !== undefined
      ? await queueTemplate(
          companyId,
          { phone, name: cart.name, words: wordsOf(template, factsOfCart(cart)), isConsentNeeded: true },
          { operationId: `cart:${companyId}:${key}:${remindedAt}`, startedAt: remindedAt },
        )
      : 'template_not_found';
  if (outcome === 'queued') metric('CartReminders', 'Count', 1);
  else log.info('A cart was left and nobody is reminded', { company_id: companyId, code: outcome });
  for (let seen: Cart | undefined = cart; seen?.state === 'claimed' && seen.remindedAt === remindedAt; ) {
    const done = { ...seen, state: 'abandoned' as const, rev: seen.rev + 1, updatedAt: now() };
    if ((await saveCart(outcome === 'queued' ? done : { ...done, withheld: outcome })).done) return;
    seen = await findCart(companyId, key);
  }
}

const rulesOf = ({ abandoned_cart, quiet_hours }: ShopSettings) => ({
  isEnabled: abandoned_cart.enabled,
  delayMs: abandoned_cart.delay_minutes * 60_000,
  quietUntil: (instant: number) => quietUntil(quiet_hours, instant),
});

const maxAttempts = 12;

class Contended extends Error {
  override name = 'TransactionConflict';
}
