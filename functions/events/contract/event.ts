import * as z from 'zod';
import { text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const loggedEvent = z
  .object({
    id: z.string().meta({ id: 'EventPlace', description: 'The id of the event, and its place in the log: `after` and `before` take it.' }),
    type: z.string().meta({ description: 'What happened, such as message.received, conversation.updated or campaign.progress.' }),
    subject: z.string().meta({ id: 'EventSubject', description: 'The record that it happened to, such as conversation:12 or campaign:3.' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'Ids and states of the record; no text and no personal data.' }),
    by: z
      .object({
        kind: z
          .enum(['user', 'token', 'operator', 'provider', 'customer', 'system'])
          .meta({ description: 'A user, a token without a user, the operator, the provider, a customer, or the product itself.' }),
        user_id: z.int().nullable().meta({ description: 'The user, or null.' }),
        credential_id: z.int().nullable().meta({ description: 'The token or session of the call, or null.' }),
      })
      .meta({ id: 'EventActor', description: 'Who caused it.' }),
    at: timestamp.meta({ description: 'When it was written, to the second.' }),
  })
  .meta({
    id: 'Event',
    // the document shows it by type, each with its data (lib/generate/feed.ts)
    description: 'What happened, to which record, and by whom: by `type`, of which there will be more.',
  });
export type LoggedEventRecord = z.output<typeof loggedEvent>;

/** A place in the log, as answers name it. */
export const eventPlace = z.string().regex(/^\d{1,16}(\.\d{1,4})?$/, { error: 'Must be the id of an event, or meta.next_cursor.' });

export const eventsQuery = z.object({
  after: eventPlace.optional().meta({ description: 'Events later than this one, oldest first; meta.next_cursor of the answer before.' }),
  before: eventPlace.optional().meta({ description: 'Events earlier than this one; without either, the newest.' }),
  types: text(500, 1)
    .regex(/^[a-z_]+\.([a-z_]+|\*)(,[a-z_]+\.([a-z_]+|\*))*$/, {
      error: 'Must be types such as message.received or campaign.*, with commas between.',
    })
    .optional()
    .meta({ description: 'Only these types, with commas between; `campaign.*` is all of a family.' }),
  subject: text(100, 1)
    .regex(/^[a-z_]+:[\w-]+$/, { error: 'Must be a record such as conversation:12.' })
    .optional()
    .meta({ description: 'Only events of this record, such as conversation:12.' }),
  limit: wholeNumber(1, 100).default(50).meta({ description: 'Events at most.' }),
});
export type EventsQuery = z.output<typeof eventsQuery>;

export const eventRoutes = {
  listEvents: route({
    method: 'GET',
    path: '/api/v1/events',
    summary: 'List events: follow what happens, or look back',
    description:
      'What happened in the company in the last 30 days: messages received and failed, conversations assigned or closed, progress of campaigns, leads and tasks, orders, templates, numbers, and to admins the changes of the account. With `after`, poll it every few seconds for live updates: it misses nothing and repeats nothing, and costs next to nothing while nothing happens. Events of one record are in their order. A caller sees the types that its scopes may read.',
    caller: { kind: 'token', scope: 'profile:read', role: 'viewer' },
    query: eventsQuery,
    answers: {
      200: z.object({
        status: z.literal('success'),
        message: z.string(),
        data: z.array(loggedEvent),
        meta: z.object({
          has_more: z.boolean().meta({ description: 'Whether there is more in this direction now.' }),
          next_cursor: z.string().meta({ description: 'Send it as `after` to follow, or as `before` to look further back.' }),
        }),
      }),
    },
    errors: ['validation_failed'],
  }),
};
