import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

const typingIndicator = z
  .object({
    message_id: z
      .int()
      .meta({ description: 'The newest message of the contact: it and those before it are shown to the contact as read.' }),
    expires_at: timestamp.meta({ description: 'When "typing" goes away, unless a message is sent before.' }),
  })
  .meta({ id: 'TypingIndicator' });

export const typingRoutes = {
  sendTypingIndicator: route({
    method: 'POST',
    path: '/api/v1/conversations/{id}/typing',
    summary: 'Show the contact that you are typing',
    description:
      'The contact sees "typing" for 25 seconds, or until your next message, and blue ticks at the newest message. It is no message: nothing is stored, and the unread count stays. ' +
      'It needs an open customer service window.',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    params: z.object({ id: pathId }),
    answers: { 200: success(typingIndicator) },
    errors: ['not_found', 'window_closed', 'number_missing', 'provider_rejected'],
  }),
};
