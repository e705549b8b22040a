import * as z from 'zod';
import { id, looseBoolean, text, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { eventPlace, loggedEvent } from '../../events/contract/event.ts';
import { messageRecord } from '../../messaging/contract/message-record.ts';
import { conversation, inboxCounts } from './conversation-record.ts';
import { conversationPresence } from './presence.ts';

export const syncQuery = z.object({
  after: eventPlace
    .optional()
    .meta({ description: 'Events later than this one: meta.next_cursor of the answer before. Without it none, and where to begin.' }),
  limit: wholeNumber(1, 100).default(100).meta({ description: 'Events at most.' }),
  conversation_id: id.optional().meta({ description: 'The open conversation, whose messages and viewers are wanted too.' }),
  version: text(40, 1)
    .optional()
    .meta({ description: 'data.thread.version of the answer before: its messages are left out while they are the same.' }),
  messages: looseBoolean.optional().meta({
    description:
      'With false beside a version, its messages are left out unless an event names the conversation: while no state can change.',
  }),
  state: z
    .enum(['viewing', 'typing'], { error: 'Must be viewing or typing.' })
    .optional()
    .meta({ description: 'What the calling user does in the open conversation, which colleagues see for 30 seconds.' }),
});
export type SyncQuery = z.output<typeof syncQuery>;

const thread = z
  .object({
    conversation_id: z.int().meta({ description: 'The conversation.' }),
    version: z.string().meta({ description: 'Differs when one of its newest messages does: send it with the next call.' }),
    messages: z.array(messageRecord).nullable().meta({
      description: 'Its newest 20 messages, newest first; null while they are those of the version that was sent, or not wanted.',
    }),
    next_before_id: z
      .int()
      .nullable()
      .meta({ description: '`before_id` for the messages before these; null if there are none, or no messages here.' }),
  })
  .meta({ id: 'SyncThread', description: 'The newest messages of the open conversation.' });

const sync = z
  .object({
    events: z.array(loggedEvent).meta({ description: 'What happened, oldest first, as GET /events has it.' }),
    counts: inboxCounts.meta({ description: 'The conversations of each view.' }),
    conversations: z
      .array(conversation)
      .meta({ description: 'The conversations that the events changed, as they are now: at most the 20 that changed last.' }),
    unlisted_ids: z.array(z.int()).meta({ description: 'Conversations that the events changed and that no list shows any more.' }),
    other_ids: z.array(z.int()).meta({ description: 'Conversations that the events changed and that are not in this answer: read them.' }),
    thread: thread
      .nullable()
      .meta({ description: 'Of the open conversation; null without one, or where its messages are wanted and there is none of this id.' }),
    others: conversationPresence.shape.others,
  })
  .meta({ id: 'Sync' });
export type SyncRecord = z.input<typeof sync>;

export const syncRoutes = {
  getSync: route({
    method: 'GET',
    path: '/api/v1/sync',
    summary: 'Follow an inbox with one call',
    description:
      'What a page that shows an inbox polls: events behind a cursor, counts of the views, the conversations that the events changed, the newest messages of the open conversation, and who else looks at it. The conversations and messages are at least as new as the events, so a page that goes on from `meta.next_cursor` misses nothing, and no later answer is older. Poll it every 2 seconds while something happens and less often while nothing does.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    query: syncQuery,
    answers: {
      200: z.object({
        status: z.literal('success'),
        message: z.string(),
        data: sync,
        meta: z.object({
          has_more: z.boolean().meta({ description: 'Whether there are more events now: call again at once.' }),
          next_cursor: z.string().meta({ description: 'Send it as `after` with the next call.' }),
        }),
      }),
    },
    errors: ['validation_failed'],
  }),
};
