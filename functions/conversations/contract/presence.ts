import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { namedUser, pathId, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const presenceStates = ['viewing', 'typing', 'left'] as const;
export type PresenceState = (typeof presenceStates)[number];

export const conversationPresence = z
  .object({
    others: z
      .array(
        z.object({
          user: namedUser.meta({ description: 'The user.' }),
          state: z.enum(['viewing', 'typing']).meta({ description: 'What the user does.' }),
          until: timestamp.meta({ description: 'When this ends, unless the user is seen again.' }),
        }),
      )
      .meta({ description: 'The other users who look at the conversation now, newest first.' }),
  })
  .meta({ id: 'ConversationPresence' });
export type ConversationPresence = z.output<typeof conversationPresence>;

export const presenceRoutes = {
  setPresence: route({
    method: 'PUT',
    path: '/api/v1/conversations/{id}/presence',
    summary: 'Show that you look at a conversation',
    description:
      'Colleagues see it for 30 seconds: a page repeats the call every 15 seconds, and learns who else is there. No history of it is kept.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    params: z.object({ id: pathId }),
    body: z
      .object({
        state: z.enum(presenceStates, { error: 'Must be viewing, typing or left.' }).meta({ description: '`left` ends it at once.' }),
      })
      .meta({ id: 'SetPresenceRequest' }),
    answers: { 200: success(conversationPresence) },
    errors: ['not_found', 'validation_failed'],
  }),
};
