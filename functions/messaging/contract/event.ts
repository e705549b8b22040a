import * as z from 'zod';
import { timestamp } from '../../../shared/contract/fields.ts';
import { event } from '../../../shared/contract/event.ts';

const received = z.object({
  message_id: z.int(),
  contact_id: z.int(),
  conversation_id: z.int(),
  type: z.int(),
  wamid: z.string().nullable(),
  received_at: timestamp,
});

export const messageReceived = event({
  name: 'message.received',
  purpose: 'A contact sent a message',
  detail: received,
  webhookData: received.extend({
    from: z.string().nullable().optional().meta({ description: "The sender's phone, digits with country code." }),
    value: z.string().optional().meta({ description: 'The text of the message, or the caption of its file.' }),
    subtype: z.string().nullable().optional().meta({ description: 'The kind of an interactive or special message.' }),
    media: z
      .object({
        kind: z.string(),
        mime: z.string().nullable(),
        size: z.int().nullable(),
        filename: z.string().nullable(),
        caption: z.string().nullable(),
      })
      .nullable()
      .optional()
      .meta({ description: 'The file of the message; null without one.' }),
  }),
});

const statusChanged = z.object({
  message_id: z.int(),
  contact_id: z.int(),
  conversation_id: z.int(),
  status: z.int(),
  wamid: z.string().nullable(),
  ambiguous: z.boolean(),
  at: timestamp,
});

export const messageStatus = event({
  name: 'message.status',
  purpose: 'The status of an outgoing message changed',
  detail: statusChanged,
  webhookData: statusChanged.extend({
    error: z
      .object({ code: z.int(), title: z.string() })
      .nullable()
      .optional()
      .meta({ description: 'With status 5 (failed): the error of the provider.' }),
  }),
});
