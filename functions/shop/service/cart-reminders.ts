import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { queueTemplate } from '../../messaging/service/queue-template.ts';
import type { ShopSettings } from '../contract/settings.ts';
import type { Cart } from '../contract/stored.ts';
import { evaluateCart } from '../domain/cart.ts';
import { quietHoursEnd } from '../domain/quiet-hours.ts';
import { valuesOfCart, settingParameters } from '../domain/template-parameters.ts';
import { claimReminder, getCart, listActivity, putCart, releaseReminder } from '../store/cart.ts';
import { cartTemplate, settingsOf } from './settings.ts';

/** Handles a cart whose timer is due. The decision follows from the stored cart, not from the message. */
export const checkCart = async (companyId: number, key: string, dueAtMs: number): Promise<void> => {
  // The message was sent with the whole delay, so it is early by the difference of two clocks at most.
  const earlyMs = dueAtMs - now();
  if (earlyMs > 5_000) throw new Error('A cart timer arrived more than five seconds early.');
  if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs));
  const settings = await settingsOf(companyId);
  await retryOnConflict(maxAttempts, async () => {
    const cart = await getCart(companyId, key);
    if (cart?.state === 'claimed') return sendReminder(cart, settings);
    if (cart?.state !== 'open' || cart.dueAt !== dueAtMs) return;
    const { dueAt: _due, ...rest } = cart;
    const at = now();
    const decision = evaluateCart(cart, await listActivity(companyId, cart), rulesOf(settings), at);
    const step = { rev: cart.rev + 1, updatedAt: at };
    switch (decision.action) {
      case 'remind':
        if (!(await claimReminder(cart, at))) return conflict;
        return sendReminder({ ...rest, ...step, state: 'claimed', remindedAt: at }, settings);
      case 'wait':
        return store({ ...cart, ...step, dueAt: decision.untilMs });
      case 'end':
        return store({ ...rest, ...step, state: decision.state });
      case 'withhold':
        return store({ ...rest, ...step, state: 'abandoned', withheld: decision.reason });
    }
  });
};

const store = async (cart: Cart): Promise<undefined | typeof conflict> => ((await putCart(cart)).done ? undefined : conflict);

/**
 * Sends a claimed reminder. Its message id is derived from the claim, so a retry sends the same message; then the cart records the outcome.
 */
async function sendReminder(cart: Cart, settings: ShopSettings): Promise<void> {
  const { companyId, key, phone, remindedAt } = cart;
  const template = cartTemplate(settings);
  const outcome =
    template && phone !== undefined && remindedAt !== undefined
      ? await queueTemplate(
          companyId,
          {
            phone,
            name: cart.name,
            template: settingParameters(template, valuesOfCart(cart, settings.platform_currency)),
            requiresConsent: true,
          },
          { operationId: `cart:${companyId}:${key}:${remindedAt}`, startedAt: remindedAt },
        )
      : 'template_not_found';
  if (outcome === 'queued') metric('CartReminders', 'Count', 1);
  else {
    log.info('No reminder was sent for an abandoned cart', { company_id: companyId, code: outcome });
    // nothing was sent, so it must not hold back the reminder of another cart
    await releaseReminder(cart);
  }
  let seen: Cart | undefined = cart;
  await retryOnConflict(maxAttempts, async () => {
    if (seen?.state !== 'claimed' || seen.remindedAt !== remindedAt) return;
    const { remindedAt: _none, ...unsent } = seen;
    const done = { state: 'abandoned', rev: seen.rev + 1, updatedAt: now() } as const;
    if ((await putCart(outcome === 'queued' ? { ...seen, ...done } : { ...unsent, ...done, withheld: outcome })).done) return;
    seen = await getCart(companyId, key);
    return conflict;
  });
}

const rulesOf = ({ abandoned_cart, quiet_hours }: ShopSettings) => ({
  isEnabled: abandoned_cart.enabled,
  delayMs: abandoned_cart.delay_minutes * minuteMs,
  quietUntil: (instant: number) => quietHoursEnd(quiet_hours, instant),
});

const maxAttempts = 12;
