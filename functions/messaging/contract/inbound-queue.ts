import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';

const reference = z.object({ company_id: z.int(), contact_id: z.int(), message_id: z.int() });

export const consentKeywordsQueue = queue({
  name: 'consent-words',
  purpose: 'Inbound messages that are a word of consent, by reference',
  message: reference,
  workSeconds: 30,
  maxReceives: 8,
});

export const inboundMediaQueue = queue({
  name: 'inbound-media',
  purpose: 'Inbound messages whose file is to be fetched, by reference',
  message: reference,
  workSeconds: 100,
  maxReceives: 8,
});

export const readReceiptsQueue = queue({
  name: 'read-marks',
  purpose: 'Conversations read up to a message, of which the provider is to be told',
  message: reference,
  workSeconds: 30,
  maxReceives: 8,
});
