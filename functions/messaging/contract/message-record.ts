import * as z from 'zod';
import { timestamp } from '../../../shared/contract/fields.ts';
import { messageParts } from './content-parts.ts';
import { money } from '../../spend/contract/money.ts';

const sentBy = z
  .object({
    via: z
      .enum(['api', 'campaign', 'system'])
      .meta({ description: '`api`: a call. `campaign`: a campaign. `system`: a reminder, notice or confirmation.' }),
    user_id: z.int().nullable().meta({ description: 'The user whose token or session called; null otherwise.' }),
    token_id: z.int().nullable().meta({ description: 'The API token that called; null for a session, a campaign or the system.' }),
    campaign_id: z.int().nullable().meta({ description: 'The campaign; null otherwise.' }),
  })
  .meta({ id: 'SentBy', description: 'Who sent a message.' });

const messageFailure = z
  .object({
    code: z.union([z.int(), z.string()]).meta({ description: "The provider's error code." }),
    title: z.string().meta({ description: 'What the code means.' }),
    details: z.string().nullable().meta({ description: "The provider's own words; null where it gave none." }),
  })
  .meta({ id: 'MessageError' });

/** The kinds of a message record, with the additions of A33. */
export const messageRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the message.' }),
    fb_message_id: z.string().nullable().meta({ description: "The provider's id (wamid); null before the message was accepted." }),
    contact_id: z.int(),
    number_id: z.int().nullable().meta({ description: 'The number that it was written to or sent from; null for older ones.' }),
    value: z.string().meta({ description: 'The text, or the caption of the file.' }),
    status: z.int().min(0).max(6).meta({ description: '0 scheduled, 1 sending, 2 sent, 3 delivered, 4 read, 5 failed, 6 processing.' }),
    is_message_by_contact: z.int().min(0).max(1).meta({ description: '1 from the contact, 0 from you.' }),
    message_type: z.int().meta({ description: '1 text, 2 media, 3 location, 5 reply to a flow.' }),
    subtype: z.string().meta({ description: 'What it is more exactly, for example `image`, `template` or `reaction`.' }),
    media: z
      .object({
        url: z
          .string()
          .nullable()
          .meta({ description: 'A link to the file, valid for 15 minutes; null while it is being fetched, or when it is gone.' }),
        mime: z.string().nullable().meta({ description: 'The content type.' }),
        size: z.int().nullable().meta({ description: 'Bytes.' }),
        sha256: z.string().nullable().meta({ description: 'The hash of the file.' }),
        caption: z.string().nullable().meta({ description: 'The caption.' }),
        filename: z.string().nullable().meta({ description: 'The name of the file.' }),
      })
      .meta({ id: 'MessageMedia' })
      .nullable()
      .meta({ description: 'The file of the message; null without one.' }),
    content: messageParts
      .nullable()
      .meta({ description: 'The parts beside the text in the form of the provider: buttons, list, template, order, place; null without.' }),
    context_message_id: z.string().nullable().meta({ description: 'The wamid of the message that this one replies to; null otherwise.' }),
    pricing: z
      .looseObject({
        category: z.string().optional().meta({ description: '`marketing`, `utility`, `authentication`, `service` or another.' }),
        type: z.string().optional().meta({ description: '`regular`, or why it is free: `free_customer_service`, `free_entry_point`.' }),
        model: z.string().optional().meta({ description: "The provider's pricing model, `PMP` for each message." }),
        billable: z.boolean().optional().meta({ description: 'Whether it is charged, where the provider says it.' }),
        cost: money.optional().meta({ description: 'What the provider charges for it, where it posts an amount.' }),
      })
      .meta({ id: 'MessagePricing' })
      .nullable()
      .meta({ description: "The provider's pricing of the message; null while unknown." }),
    ambiguous: z.boolean().meta({ description: 'The outcome is unknown: the answer of the provider was lost. A status settles it.' }),
    held: z.boolean().meta({
      description:
        'With status 2: the provider holds the template message back, and sends it later or drops it. `sent_at` is null until then.',
    }),
    error: messageFailure.nullable().meta({ description: 'Why the message failed; null otherwise.' }),
    sent_at: timestamp.nullable().meta({ description: 'When it was sent; null before.' }),
    delivered_at: timestamp.nullable().meta({ description: 'When it was delivered; null before.' }),
    read_at: timestamp.nullable().meta({ description: 'When it was read; null before.' }),
    failed_at: timestamp.nullable().meta({ description: 'When it failed; null otherwise.' }),
    scheduled_at: timestamp.nullable().meta({ description: 'When a scheduled message is sent; null otherwise.' }),
    edited_at: timestamp.nullable().meta({ description: 'When the contact edited it; null otherwise.' }),
    revoked_at: timestamp
      .nullable()
      .meta({ description: 'When the contact deleted it for everyone, and its content was removed here; null otherwise.' }),
    group_id: z.string().nullable().meta({ description: 'The group that it was written in; null for a private message.' }),
    template_name: z.string().nullable().meta({ description: 'The template of an outbound message; null otherwise.' }),
    campaign_id: z.int().nullable().meta({ description: 'The campaign that sent it; null otherwise.' }),
    sent_by: sentBy
      .nullable()
      .meta({ description: 'Who sent an outbound message; null for inbound ones, and for those of before this was recorded.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Message' });

const timelineStep = z
  .object({
    step: z
      .enum(['accepted', 'received', 'scheduled', 'claimed', 'held', 'sent', 'delivered', 'read', 'failed', 'edited', 'revoked'])
      .meta({
        description:
          '`claimed`: a worker began the newest attempt. `held`: the provider accepted it and held it back. `scheduled`: still ahead.',
      }),
    at: timestamp.meta({ description: 'When; never before the step above it.' }),
  })
  .meta({ id: 'MessageStep', description: 'One step in the life of a message.' });

export const messageDetails = messageRecord
  .extend({
    attempts: z.int().meta({ description: 'How often the provider was called for it; 0 while it waits for its time.' }),
    timeline: z.array(timelineStep).meta({ description: 'What happened to it, in order.' }),
    note: messageFailure
      .nullable()
      .meta({ description: 'What the provider reported after it was delivered, or why its file could not be fetched; null otherwise.' }),
  })
  .meta({ id: 'MessageDetails', description: 'A message with its timeline.' });
