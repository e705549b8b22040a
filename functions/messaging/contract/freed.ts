import { chargeOf } from './charge.ts';
import { messageStatuses, type StoredMessage } from './stored.ts';
import { type TakenByCeilings, takenOf } from './taken.ts';

/** What was taken from ceilings, with what of it the message was proven not to cost: micro-units. */
export interface FreedByMessage extends TakenByCeilings {
  micros: { company: number; campaign: number };
}

/**
 * What goes back to ceilings: all of an attempt that failed or was free, and of one whose amount the provider posted what it took more. One whose outcome
 * is not known gives nothing back, nor does one at the list price, which ceilings take. It only grows: an outcome is final, and earlier attempts stay.
 */
export const freedOf = (message: StoredMessage): FreedByMessage[] => {
  const { taken, takenBefore = [] } = message;
  const attempts = takenBefore.map((each) => freedFrom(takenOf(each), (micros) => micros));
  const share = taken === undefined ? undefined : freedShare(message);
  return taken !== undefined && share ? [...attempts, freedFrom(takenOf(taken), share)] : attempts;
};

const freedFrom = (taken: TakenByCeilings, share: (micros: number, currency: string) => number): FreedByMessage => ({
  ...taken,
  micros: {
    company: taken.company ? share(taken.company.micros, taken.company.currency) : 0,
    campaign: taken.campaign ? share(taken.campaign.micros, taken.campaign.currency) : 0,
  },
});

/** How much of what was taken for the message's last attempt goes back; undefined: nothing of it. */
function freedShare(message: StoredMessage): ((micros: number, currency: string) => number) | undefined {
  if (message.status === messageStatuses.failed) return message.ambiguous ? undefined : (micros) => micros;
  const { type, posted } = chargeOf(message) ?? {};
  if (type === 'free') return (micros) => micros;
  return posted && ((micros, currency) => (posted.currency === currency ? Math.max(0, micros - Math.max(0, posted.micros)) : 0));
}
