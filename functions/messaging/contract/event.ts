import * as z from 'zod';
import { timestamp } from '../../../shared/contract/fields.ts';
import { event } from '../../../shared/contract/event.ts';

export const messageReceived = event({
  name: 'message.received',
  purpose: 'A person wrote',
  detail: z.object({
    message_id: z.int(),
    contact_id: z.int(),
    conversation_id: z.int(),
    type: z.int(),
    wamid: z.string().nullable(),
    received_at: timestamp,
  }),
});

export const messageStatus = event({
  name: 'message.status',
  purpose: 'A message we sent moved',
  detail: z.object({
    message_id: z.int(),
    contact_id: z.int(),
    conversation_id: z.int(),
    status: z.int(),
    wamid: z.string().nullable(),
    ambiguous: z.boolean(),
    at: timestamp,
  }),
});
