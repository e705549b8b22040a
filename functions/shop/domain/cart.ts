import { dayMs, hourMs } from '../../../shared/runtime/clock.ts';
import type { CheckoutUpdate } from '../contract/platform-event.ts';
import type { Cart } from '../contract/stored.ts';

/**
 * Rules of abandoned carts: when a cart counts as abandoned, who may be reminded, which orders end a cart. Times are epoch milliseconds.
 */

/** A customer gets at most one reminder in this time, however many carts they leave. */
export const reminderIntervalMs = dayMs;
/** A cart abandoned longer ago than this gets no reminder: its delivery came days late. */
export const staleCartMs = 2 * dayMs;
/** Carts and orders may come from systems with different clocks. An order up to this long before a cart still ends it. */
export const clockGraceMs = hourMs;
export const maxCheckoutIds = 6;

/** The cart after a checkout update, or undefined when the update changes nothing. A completed or deleted checkout never opens again. */
export const applyCheckoutUpdate = (
  seen: Cart | undefined,
  update: CheckoutUpdate,
  about: { companyId: number; key: string; phone: string | undefined; delayMs: number; at: number },
): Cart | undefined => {
  const { companyId, key, phone, delayMs, at } = about;
  if (seen?.state === 'recovered' || seen?.state === 'closed') return undefined;
  const base: Cart = seen ?? {
    companyId,
    key,
    source: update.source,
    checkoutIds: [],
    state: 'open',
    startedAt: update.at,
    lastAt: 0,
    items: [],
    rev: 0,
    updatedAt: at,
  };
  const { dueAt, marketingDeclined: _refused, ...rest } = base;
  const checkoutIds = [...new Set([...base.checkoutIds, ...update.checkoutIds])].slice(0, maxCheckoutIds);
  const written = { rev: seen ? seen.rev + 1 : 0, updatedAt: at };
  if (update.state === 'completed' || update.state === 'deleted')
    return { ...rest, checkoutIds, state: update.state === 'completed' ? 'recovered' : 'closed', ...written };
  if (seen && update.at <= seen.lastAt) return undefined;
  const isWaiting = seen?.state === 'open' || seen?.state === 'claimed';
  const next: Cart = {
    ...rest,
    checkoutIds,
    lastAt: update.at,
    ...(phone === undefined ? {} : { phone }),
    ...(update.customerEmail === undefined ? {} : { email: update.customerEmail }),
    ...(update.customerName === undefined ? {} : { name: update.customerName }),
    ...(update.url === undefined ? {} : { url: update.url }),
    ...(update.total === undefined ? {} : { total: update.total }),
    ...(update.currency === undefined ? {} : { currency: update.currency }),
    ...(update.itemNames.length > 0 ? { items: update.itemNames.slice(0, 20) } : {}),
    ...(update.marketingDeclined ? { marketingDeclined: true as const } : {}),
    ...written,
  };
  // An open cart keeps its timer; when it is due, the worker moves it to the last change plus the delay.
  if (isWaiting) return { ...next, ...(dueAt === undefined ? {} : { dueAt }) };
  const { withheld: _withheld, ...opened } = next;
  const notBefore = base.remindedAt === undefined ? 0 : base.remindedAt + reminderIntervalMs;
  return { ...opened, state: 'open', startedAt: update.at, dueAt: Math.max(update.at + delayMs, notBefore) };
};

/** When a customer ordered and was reminded, by checkout id, phone or email. */
export interface CustomerActivity {
  by: 'checkout' | 'phone' | 'email';
  orderedAt?: number | undefined;
  remindedAt?: number | undefined;
}

export type CartDecision =
  | { action: 'wait'; untilMs: number }
  | { action: 'end'; state: 'recovered' | 'expired' }
  | { action: 'withhold'; reason: 'no_phone' | 'no_consent' | 'reminded_lately' }
  | { action: 'remind' };

/** Decides what happens to an open cart whose timer is due. */
export const evaluateCart = (
  cart: Cart,
  activity: readonly CustomerActivity[],
  rules: { isEnabled: boolean; delayMs: number; quietUntil: (instant: number) => number | undefined },
  at: number,
): CartDecision => {
  if (activity.some((each) => endsCart(each, cart))) return { action: 'end', state: 'recovered' };
  if (!rules.isEnabled) return { action: 'end', state: 'expired' };
  const left = cart.lastAt + rules.delayMs;
  if (left > at) return { action: 'wait', untilMs: left };
  if (left + staleCartMs < at) return { action: 'end', state: 'expired' };
  if (cart.phone === undefined) return { action: 'withhold', reason: 'no_phone' };
  if (cart.marketingDeclined) return { action: 'withhold', reason: 'no_consent' };
  if (activity.some(({ remindedAt }) => remindedAt !== undefined && remindedAt > at - reminderIntervalMs))
    return { action: 'withhold', reason: 'reminded_lately' };
  const quiet = rules.quietUntil(at);
  return quiet === undefined ? { action: 'remind' } : { action: 'wait', untilMs: quiet };
};

/** An order of the same checkout always ends the cart. An order of the same customer ends it when it was placed after the cart began. */
const endsCart = ({ by, orderedAt }: CustomerActivity, cart: Cart): boolean =>
  orderedAt !== undefined && (by === 'checkout' || orderedAt >= orderCutoff(cart));

/** Orders of the same customer from this time on end the cart. */
export const orderCutoff = ({ startedAt }: Pick<Cart, 'startedAt'>): number => startedAt - clockGraceMs;
