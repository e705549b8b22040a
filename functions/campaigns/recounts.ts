import { recount } from '../../shared/events/recount.ts';
import { failuresEntity, statsEntity } from './store/recipient-batch.ts';

/** What happened once and no row shows any more (retries, replies, refusals) stays as it was counted. */
const countedFromRows = [
  'audience',
  'singleRecipients',
  'processing',
  'sent',
  'delivered',
  'read',
  'failed',
  'ambiguous',
  'skipped',
  'accepted',
  'everDelivered',
  'everRead',
] as const;

export const recounts = [
  recount(statsEntity, { facts: (row) => countedFromRows.map((field) => row[field]), fields: [...countedFromRows, 'failures'] }),
  recount(failuresEntity, { facts: ({ contactIds }) => contactIds.toSorted((a, b) => a - b), fields: ['contactIds'] }),
];
