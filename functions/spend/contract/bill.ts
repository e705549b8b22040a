import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { route } from '../../../shared/contract/route.ts';
import { money } from './money.ts';
import { spendFigures } from './spend.ts';

const date = z.string().meta({ format: 'date', example: '2026-11-21' });

const billOfAccount = z
  .object({
    waba_id: z.string().meta({ description: "The provider's id of the business account." }),
    number_ids: z.array(z.int()).meta({ description: 'Its numbers.' }),
    ours: spendFigures.meta({
      description: 'What its messages cost, as getSpend has it. Verification codes are in it where the company has one account.',
    }),
    bill: z
      .object({
        amount: money.nullable().meta({
          description: 'What the provider charged; null: it shows no amounts to an account on the credit line of a partner.',
        }),
        charged: z.int().meta({ description: 'Messages that it charged.' }),
      })
      .nullable()
      .meta({ description: "The provider's figure; null: see `reason`." }),
    reason: z.enum(['unreachable', 'refused', 'no_currency']).nullable().meta({
      description:
        'Why there is no bill: the provider did not answer, refused to, or the currency of the account is not known before its first daily check. null: there is one.',
    }),
    difference_percent: z.string().nullable().meta({
      description:
        'By how much the bill is above our amount, in percent of ours, negative if below; without amounts, of the charged messages. null: there is no bill, or it charges what ours has nothing of.',
      example: '1.02',
    }),
    differs: z.boolean().meta({ description: 'Whether it is another bill: more than 2 % and more than 10 charged messages.' }),
  })
  .meta({ id: 'AccountBill', description: "A business account's bill beside our figure." });
export type AccountBill = z.output<typeof billOfAccount>;

export const billRecord = z
  .object({
    from: date.meta({ description: 'The first day, UTC.' }),
    to: date.meta({ description: 'The last day, UTC.' }),
    accounts: z.array(billOfAccount).meta({ description: 'The business accounts of the company.' }),
  })
  .meta({ id: 'Bill', description: "The provider's bill of seven days beside our figure." });
export type BillRecord = z.output<typeof billRecord>;

export const billRoutes = {
  getBill: route({
    method: 'GET',
    path: '/api/v1/spend/bill',
    summary: "Compare with the provider's bill",
    description:
      'What the provider says it charged for the last seven days, today included, beside what getSpend says of them. It is read from the provider when you call, and changes no figure of ours. Days are compared as a sum: ours are those on which a message was sent, its are those on which it was delivered. It names its figures approximate.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    limit: 'bulk',
    answers: { 200: success(billRecord) },
    errors: [],
  }),
};
