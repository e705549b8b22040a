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
