import * as z from 'zod';
import { timestamp } from '../../../shared/contract/fields.ts';

/** Decision A47. */
export const conversation = z
  .object({
    id: z.int().meta({ description: 'The id of the conversation: the id of its contact.' }),
    contact: z
      .object({
        id: z.int().meta({ description: 'The id of the contact.' }),
        name: z.string().nullable().meta({ description: 'The name; null while unknown.' }),
        phone: z.string().meta({ description: 'Digits with country code, no plus; empty while unknown.' }),
        blocked: z.boolean().meta({ description: 'You blocked the contact: nothing is sent to it.' }),
      })
      .meta({ description: 'The contact of the conversation.' }),
    last_message: z
      .object({
        id: z.int().meta({ description: 'The id of the message.' }),
        value: z.string().meta({ description: 'Its text, or the caption of its file; empty for a revocation.' }),
        subtype: z.string().meta({ description: 'What it is more exactly: `text`, `image`, `reaction`, `edit`, `revoke` ...' }),
        message_type: z.int().meta({ description: '1 text, 2 media, 3 location, 5 reply to a flow.' }),
        status: z.int().meta({ description: '0 scheduled, 1 sending, 2 sent, 3 delivered, 4 read, 5 failed, 6 processing.' }),
        is_message_by_contact: z.int().meta({ description: '1 from the contact, 0 from you.' }),
        ambiguous: z.boolean().meta({ description: 'The outcome is unknown: the answer of the provider was lost.' }),
        error_code: z
          .union([z.int(), z.string()])
          .nullable()
          .meta({ description: "Why it failed: the provider's code, or `cancelled`; null otherwise." }),
        created_at: timestamp,
      })
      .meta({ description: 'The newest message.' }),
    is_automatic: z.boolean().meta({
      description: 'Whether only campaigns and other automatic messages wrote so far: neither the contact nor a user or token.',
    }),
    unread_count: z.int().meta({ description: 'Messages of the contact that are not marked read.' }),
    window: z
      .object({
        open: z.boolean().meta({ description: 'Whether free text can be sent now.' }),
        expires_at: timestamp.nullable().meta({ description: 'When it closes; null if the contact never wrote.' }),
        number_id: z.int().nullable().meta({ description: 'The number that the contact last wrote to, from which an answer leaves.' }),
      })
      .meta({ description: 'The customer service window: 24 hours after the last message of the contact.' }),
    status: z.enum(['open', 'closed']).meta({ description: 'Whether it is in the inbox.' }),
    assigned_to: z.int().nullable().meta({ description: 'The user who takes care of it; null for none.' }),
    assigned_by: z.int().nullable().meta({ description: 'The user who assigned it; null if none did.' }),
    snoozed_until: timestamp.nullable().meta({
      description: 'Until when it is put away: then it comes back, marked unread; at once if the contact writes. Null if it is not.',
    }),
    waiting_since: timestamp.nullable().meta({
      description:
        'Since when the contact waits for an answer of a user or a program of yours; null if it does not. Campaigns and other automatic messages answer nothing.',
    }),
    last_message_at: timestamp.meta({ description: 'When the newest message was sent or received.' }),
    last_inbound_at: timestamp.nullable().meta({ description: 'When the contact last wrote; null if never.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Conversation' });

export const inboxCounts = z
  .object({
    open: z
      .int()
      .meta({ description: 'Open conversations, without those that are put away and those that only automatic messages wrote to.' }),
    unread: z.int().meta({ description: 'Of these, those with unread messages.' }),
    mine: z.int().meta({ description: 'Open ones assigned to the caller.' }),
    unassigned: z.int().meta({ description: 'Open ones assigned to no user.' }),
    snoozed: z.int().meta({ description: 'Those that are put away until a time.' }),
    automatic: z.int().meta({ description: 'Those that only campaigns and other automatic messages wrote to.' }),
    closed: z.int().meta({ description: 'Closed conversations.' }),
  })
  .meta({ id: 'InboxCounts' });
