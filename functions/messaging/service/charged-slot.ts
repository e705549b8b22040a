import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import type { Tariff } from '../../spend/contract/price-cap.ts';
import { moneyText } from '../../spend/service/money-text.ts';
import { type CeilingCharge, type ChargedRecipient, ceilingChargeOf } from '../../spend/service/ceiling-charges.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { SlotSpend } from '../domain/allowance.ts';
import type { SendPriority } from '../domain/pace.ts';
import { returnSpend } from './allowances.ts';
import { type PacedNumber, reserveChargedSlot, type Slot, type SpendLimit } from './send-slots.ts';

export type SpendProblem = Problem<'spend_limit_reached' | 'price_unknown'>;

/** How one send is charged; undefined: it is under no ceiling. A Problem where a ceiling stops what has no price. */
export const chargeOfSend = async (
  companyId: number,
  tariff: Tariff,
  recipient: ChargedRecipient,
): Promise<CeilingCharge | undefined | Problem<'price_unknown'>> => {
  const charge = await ceilingChargeOf(companyId, tariff, recipient);
  return charge && 'unknown' in charge ? problem('price_unknown', { details: { reason: charge.unknown } }) : charge;
};

/** A slot with what the send costs, taken in one write; or the Problem that says which ceiling does not allow it. */
export const reserveSlotFor = async (
  number: PacedNumber,
  priority: SendPriority,
  charge: CeilingCharge | undefined,
): Promise<Slot | Problem<'spend_limit_reached'>> => {
  const slot = await reserveChargedSlot(number, priority, charge);
  return 'limit' in slot ? limitProblem(slot.limit) : slot;
};

/** The answer to a caller whose ceiling is reached. */
export const limitProblem = ({ ceiling, currency, limitMicros, leftMicros, resetsAtMs }: SpendLimit): Problem<'spend_limit_reached'> =>
  problem('spend_limit_reached', {
    details: {
      ceiling,
      limit: limitMicros === undefined ? null : moneyText(limitMicros),
      left: moneyText(leftMicros),
      currency: currency ?? null,
      resets_at: resetsAtMs === undefined ? null : isoTime(resetsAtMs),
    },
  });

/** What was taken for a message that was proven not to be sent, or that waits and takes another slot, comes back. */
export const returnUnsent = async (number: PacedNumber, message: StoredMessage, spend: SlotSpend | undefined): Promise<void> => {
  if (spend && wasNotSent(message)) await returnSpend(number, spend);
};

/** What the row has as taken goes back with its outcome, not here. */
const wasNotSent = ({ status, ambiguous, taken }: StoredMessage): boolean =>
  taken === undefined && (status === messageStatuses.scheduled || (status === messageStatuses.failed && ambiguous !== true));
