import * as z from 'zod';
import { dueWork } from '../../../shared/events/due.ts';
import { templateSyncsQueue } from './queue.ts';

export const accountCheckEntityName = 'account-check';

/** When the accounts of a company are read from the provider again. Times are epoch milliseconds. */
export const storedAccountCheck = z.object({
  companyId: z.int(),
  rev: z.int(),
  dueAt: z.int(),
});
export type StoredAccountCheck = z.output<typeof storedAccountCheck>;

export const dueAccountCheck = dueWork({
  name: accountCheckEntityName,
  purpose: 'The daily read of accounts, numbers and templates from the provider',
  queue: templateSyncsQueue,
  companyOf: Number,
  message: (reference) => ({ company_id: Number(reference), what: 'check' as const }),
});
