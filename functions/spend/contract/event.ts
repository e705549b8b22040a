import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { currencyCode } from './card.ts';
import { ceilingPeriods } from './spend-account.ts';

const ceiling = {
  ceiling: z.enum(ceilingPeriods).meta({ description: 'Which ceiling: of the day or of the month.' }),
  period: z.string().meta({ description: 'The day or the month, UTC.', example: '2026-11-29' }),
  limit: z.string().meta({ description: 'The ceiling, decimal text.', example: '200' }),
  left: z.string().meta({ description: 'What is left of it; what was granted to numbers counts as spent.', example: '39.6' }),
  currency: currencyCode.meta({ description: 'The currency of both.' }),
};
const by = { kind: 'system' } as const;

export const spendAlert = event({
  name: 'spend.alert',
  purpose: '50, 80 or 100 % of a spend ceiling is used up',
  description: 'Once for each share, ceiling and period; a ceiling that is changed begins anew.',
  log: ({ ceiling: of }) => ({ subject: `spend:${of}`, by }),
  detail: z
    .object({
      ...ceiling,
      percent: z.int().meta({ description: 'The share of the ceiling that was reached: 50, 80 or 100.' }),
      at: timestamp.meta({ description: 'When it was reached.' }),
    })
    .meta({ id: 'SpendAlertEventData' }),
});

export const spendLimitReached = event({
  name: 'spend.limit_reached',
  purpose: 'A spend ceiling is reached: messages are refused until it is raised or begins anew',
  description:
    'Once for each ceiling and period; a ceiling that is changed begins anew. Campaigns pause, and other sends are refused with `spend_limit_reached`.',
  log: ({ ceiling: of }) => ({ subject: `spend:${of}`, by }),
  detail: z
    .object({
      ...ceiling,
      resets_at: timestamp.meta({ description: 'When the ceiling begins anew.' }),
      at: timestamp.meta({ description: 'When it was reached.' }),
    })
    .meta({ id: 'SpendLimitReachedEventData' }),
});

export const billDiffers = event({
  name: 'spend.bill_differs',
  purpose: "The provider's bill of the last seven days differs from ours by more than 2 %",
  description:
    'Once for an account, when a daily comparison finds it; again after its bill was as ours is. `GET /api/v1/spend/bill` shows both.',
  log: ({ waba_id: id }) => ({ subject: `bill:${id}`, by }),
  detail: z
    .object({
      waba_id: z.string().meta({ description: "The provider's id of the business account." }),
      from: z.string().meta({ description: 'The first day that was compared, UTC.', example: '2026-11-24' }),
      to: z.string().meta({ description: 'The last day.', example: '2026-11-30' }),
      charged: z.int().meta({ description: 'Messages that the provider charged.' }),
      difference_percent: z
        .string()
        .nullable()
        .meta({ description: 'By how much its bill is above our amount, in percent; null: ours has nothing of it.', example: '3' }),
      at: timestamp.meta({ description: 'When it was found.' }),
    })
    .meta({ id: 'BillDiffersEventData' }),
});
