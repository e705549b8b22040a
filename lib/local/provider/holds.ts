/** Pacing: templates that are accepted and held back, until the provider knows how people take them. */
import * as z from 'zod';
import type { Delivery } from './delivery.ts';
import { allStatuses, type Ledger, statusBits } from './ledger.ts';

/** `POST /_local/provider/pacing`: of one template, or of all. */
export const holdEnd = z.strictObject({ template: z.string().optional(), outcome: z.enum(['released', 'dropped']) });

/** With the template paused, as the provider's pages have it. */
const droppedCode = 132015;

/** What was held back is sent, or dropped. Returns how many messages. */
export const endHolds = (
  { ledger, delivery }: { ledger: Ledger; delivery: Delivery },
  { template, outcome }: z.infer<typeof holdEnd>,
): number => {
  const held = ledger.held().filter((each) => template === undefined || each.template === template);
  for (const message of held) {
    const error = outcome === 'dropped' ? droppedCode : message.error;
    const planned = error === undefined ? allStatuses : statusBits.failed;
    delivery.addStatuses(ledger.endHold(message, { planned, error, at: Date.now() }));
  }
  return held.length;
};
