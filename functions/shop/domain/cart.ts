import type { CheckoutUpdate } from '../contract/platform-event.ts';
import type { Cart } from '../contract/stored.ts';

/** When a cart counts as left, who may be reminded of it, and what an order ends (S24, S25). Times are epoch milliseconds. */

/** A person gets one reminder a day, however many carts they leave. */
export const reminderIntervalMs = 24 * 3_600_000;
/** What was left this long ago is no longer spoken of: a delivery that came days late. */
export const staleCartMs = 48 * 3_600_000;
/** Cart and order may be told by different systems: an order up to this long before a cart still ends it. */
export const clockGraceMs = 3_600_000;
export const maxCheckoutIds = 6;

/** A cart after its source spoke; undefined: nothing new. What is completed or deleted under its own id never opens again. */
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
  if (update.state === 'completed' || update.state === 'gone')
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
  // the timer of a waiting cart stays where it is: when it rings, it is set to the last change's
  if (isWaiting) return { ...next, ...(dueAt === undefined ? {} : { dueAt }) };
  const { withheld: _withheld, ...opened } = next;
  const notBefore = base.remindedAt === undefined ? 0 : base.remindedAt + reminderIntervalMs;
  return { ...opened, state: 'open', startedAt: update.at, dueAt: Math.max(update.at + delayMs, notBefore) };
};

/** What is known of who a cart belongs to: by one of its checkout ids, by phone, by email. */
export interface CustomerActivity {
  by: 'checkout' | 'phone' | 'email';
  orderedAt?: number | undefined;
  remindedAt?: number | undefined;
}

export type CartDecision =
  | { do: 'wait'; untilMs: number }
  | { do: 'end'; state: 'recovered' | 'expired' }
  | { do: 'withhold'; reason: 'no_phone' | 'no_consent' | 'reminded_lately' }
  | { do: 'remind' };

/** What is to be done about an open cart whose timer rang. */
export const evaluateCart = (
  cart: Cart,
  activity: readonly CustomerActivity[],
  rules: { isEnabled: boolean; delayMs: number; quietUntil: (instant: number) => number | undefined },
  at: number,
): CartDecision => {
  if (activity.some((mark) => endsCart(mark, cart))) return { do: 'end', state: 'recovered' };
  if (!rules.isEnabled) return { do: 'end', state: 'expired' };
  const left = cart.lastAt + rules.delayMs;
  if (left > at) return { do: 'wait', untilMs: left };
  if (left + staleCartMs < at) return { do: 'end', state: 'expired' };
  if (cart.phone === undefined) return { do: 'withhold', reason: 'no_phone' };
  if (cart.marketingDeclined) return { do: 'withhold', reason: 'no_consent' };
  if (activity.some(({ remindedAt }) => remindedAt !== undefined && remindedAt > at - reminderIntervalMs))
    return { do: 'withhold', reason: 'reminded_lately' };
  const quiet = rules.quietUntil(at);
  return quiet === undefined ? { do: 'remind' } : { do: 'wait', untilMs: quiet };
};

/** An order of the same checkout ends a cart, whenever it was placed; one of the same person, when it came after the cart began. */
const endsCart = ({ by, orderedAt }: CustomerActivity, cart: Cart): boolean =>
  orderedAt !== undefined && (by === 'checkout' || orderedAt >= orderCutoff(cart));

/** Orders of the same person from then on end the cart. */
export const orderCutoff = ({ startedAt }: Pick<Cart, 'startedAt'>): number => startedAt - clockGraceMs;
