import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';

const reference = z.object({ company_id: z.int(), contact_id: z.int(), message_id: z.int() });

export const consentKeywordsQueue = queue({
  name: 'consent-keywords',
  purpose: 'Inbound messages that are an opt-out or opt-in keyword, by reference',
  message: reference,
  workSeconds: 30,
  maxReceives: 8,
});

export const inboundMediaQueue = queue({
  name: 'inbound-media',
  purpose: 'Inbound messages with a file to be fetched, by reference',
  message: reference,
  workSeconds: 100,
  maxReceives: 8,
  lateAfterSeconds: 900,
});

export const readReceiptsQueue = queue({
  name: 'read-receipts',
  purpose: 'Read receipts to be sent to the provider, and conversations that were put away and come back, by reference',
  // the contexts that fill a queue are above this one; a queue of its own would be polled for nothing most of the time
  message: z.union([reference, z.object({ company_id: z.int(), contact_id: z.int(), until_ms: z.int() })]),
  workSeconds: 30,
  maxReceives: 8,
});
