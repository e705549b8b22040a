import * as z from 'zod';
import { timestamp } from '../../../shared/contract/fields.ts';
import { feedEvent } from '../../../shared/contract/logged-event.ts';

const conversationId = z.int().meta({ description: 'The id of the conversation, which is that of its contact.' });

export const conversationUpdated = feedEvent({
  types: ['conversation.updated'],
  purpose: 'A conversation was assigned, read, closed or put away, or is open again',
  data: z.object({
    conversation_id: conversationId,
    status: z.enum(['open', 'closed']).meta({ description: 'The status now.' }),
    assigned_to: z.int().nullable().meta({ description: 'The user that it is assigned to; null without one.' }),
    is_unread: z.boolean().meta({ description: 'Whether it has messages that no one read.' }),
    snoozed_until: timestamp.nullable().meta({ description: 'Until when it is put away; null if it is not.' }),
  }),
});

export const conversationNoted = feedEvent({
  types: ['conversation.note'],
  purpose: 'A note of a conversation was written, changed or deleted',
  data: z.object({
    conversation_id: conversationId,
    note_id: z.int().meta({ description: 'The id of the note.' }),
    state: z.enum(['created', 'updated', 'deleted']).meta({ description: 'What happened to it.' }),
  }),
});
