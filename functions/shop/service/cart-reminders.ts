import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { queueTemplate } from '../../messaging/service/queue-template.ts';
import type { ShopSettings } from '../contract/settings.ts';
import type { Cart } from '../contract/stored.ts';
import { evaluateCart } from '../domain/cart.ts';
import { quietHoursEnd } from '../domain/quiet-hours.ts';
import { valuesOfCart, templateParameters } from '../domain/template-parameters.ts';
import { claimReminder, getCart, listActivity, putCart } from '../store/cart.ts';
import { cartTemplate, settingsOf } from './settings.ts';

/** A cart's timer rang: what is to be done is worked out from what is stored now. */
export const checkCart = async (companyId: number, key: string, dueAtMs: number): Promise<void> => {
  // placed with its whole delay: early by no more than two clocks differ
  const earlyMs = dueAtMs - now();
  if (earlyMs > 5_000) throw new Error('A cart was looked at long before its time.');
  if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs));
  const settings = await settingsOf(companyId);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const cart = await getCart(companyId, key);
    if (cart?.state === 'claimed') return sendReminder(cart, settings);
    if (cart?.state !== 'open' || cart.dueAt !== dueAtMs) return;
    const { dueAt: _due, ...rest } = cart;
    const at = now();
    const decision = evaluateCart(cart, await listActivity(companyId, cart), rulesOf(settings), at);
    const step = { rev: cart.rev + 1, updatedAt: at };
    switch (decision.do) {
      case 'remind':
        if (await claimReminder(cart, at)) return sendReminder({ ...rest, ...step, state: 'claimed', remindedAt: at }, settings);
        break;
      case 'wait':
        if ((await putCart({ ...cart, ...step, dueAt: decision.untilMs })).done) return;
        break;
      case 'end':
        if ((await putCart({ ...rest, ...step, state: decision.state })).done) return;
        break;
      case 'withhold':
        if ((await putCart({ ...rest, ...step, state: 'abandoned', withheld: decision.reason })).done) return;
        break;
    }
  }
  throw new Contended();
};

/** The claimed reminder: its message's row is the same however often this runs; then the cart says what came of it. */
async function sendReminder(cart: Cart, settings: ShopSettings): Promise<void> {
  const { companyId, key, phone, remindedAt } = cart;
  const template = cartTemplate(settings);
  const outcome =
    template && phone !== undefined && remindedAt !== undefined
      ? await queueTemplate(
          companyId,
          { phone, name: cart.name, words: templateParameters(template, valuesOfCart(cart)), isConsentNeeded: true },
          { operationId: `cart:${companyId}:${key}:${remindedAt}`, startedAt: remindedAt },
        )
      : 'template_not_found';
  if (outcome === 'queued') metric('CartReminders', 'Count', 1);
  else log.info('A cart was left and nobody is reminded', { company_id: companyId, code: outcome });
  for (let seen: Cart | undefined = cart; seen?.state === 'claimed' && seen.remindedAt === remindedAt; ) {
    const done = { ...seen, state: 'abandoned' as const, rev: seen.rev + 1, updatedAt: now() };
    if ((await putCart(outcome === 'queued' ? done : { ...done, withheld: outcome })).done) return;
    seen = await getCart(companyId, key);
  }
}

const rulesOf = ({ abandoned_cart, quiet_hours }: ShopSettings) => ({
  isEnabled: abandoned_cart.enabled,
  delayMs: abandoned_cart.delay_minutes * 60_000,
  quietUntil: (instant: number) => quietHoursEnd(quiet_hours, instant),
});

const maxAttempts = 12;

class Contended extends Error {
  override name = 'TransactionConflict';
}
