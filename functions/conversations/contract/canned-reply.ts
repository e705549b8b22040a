import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const cannedReplyRecord = z
  .object({
    shortcut: z.string().meta({ description: 'What a user types to find it: `hours`.' }),
    text: z.string().meta({ description: 'The text that is put into the message.' }),
    updated_at: timestamp,
  })
  .meta({ id: 'CannedReply', description: 'A text that the users of a company answer with often.' });
export type CannedReplyRecord = z.output<typeof cannedReplyRecord>;

const params = z.object({
  shortcut: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, { error: 'Must be 1 to 32 characters of a-z, 0-9, - and _.' })
    .meta({ description: 'The shortcut: 1 to 32 characters of a-z, 0-9, - and _.' }),
});
const path = '/api/v1/canned-replies';

export const cannedReplyRoutes = {
  listCannedReplies: route({
    method: 'GET',
    path,
    summary: 'List the canned replies',
    description: 'All of the company, by shortcut.',
    caller: { kind: 'token', scope: 'conversations:read', role: 'viewer' },
    answers: { 200: success(z.array(cannedReplyRecord)) },
    errors: [],
  }),
  setCannedReply: route({
    method: 'PUT',
    path: `${path}/{shortcut}`,
    summary: 'Set a canned reply',
    description: 'Creates the reply with this shortcut, or replaces its text. A company has at most 500.',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    params,
    body: z.object({ text: text(4_096, 1).meta({ description: 'The text.' }) }).meta({ id: 'SetCannedReplyRequest' }),
    answers: { 200: success(cannedReplyRecord) },
    refuses: ['limit'],
    errors: ['validation_failed'],
  }),
  deleteCannedReply: route({
    method: 'DELETE',
    path: `${path}/{shortcut}`,
    summary: 'Delete a canned reply',
    description: 'A message that was sent with it stays as it is.',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    params,
    answers: { 200: success(z.object({ shortcut: z.string() })) },
    errors: ['not_found'],
  }),
};
