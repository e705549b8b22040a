import * as z from 'zod';
import { cursorMeta, success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

const campaignReply = z
  .object({
    contact_id: z.int().meta({ description: 'The contact, whose conversation has the reply.' }),
    name: z.string().nullable().meta({ description: 'The name of the contact, or null.' }),
    phone: z.string().nullable().meta({ description: 'The phone, digits with country code; null without one.' }),
    message_id: z.int().nullable().meta({ description: 'The id of the reply, or null when it is gone.' }),
    text: z.string().nullable().meta({ description: 'What the reply says; null for files and when it is gone.' }),
    opted_out: z.boolean().meta({ description: 'Whether the contact opted out in reply.' }),
    replied_at: timestamp.meta({ description: 'When the contact replied first.' }),
  })
  .meta({ id: 'CampaignReply', description: 'The first reply of a contact to a campaign.' });
export type CampaignReply = z.output<typeof campaignReply>;

const query = z.object({
  limit: wholeNumber(1, 100).default(50).meta({ description: 'Replies of an answer.' }),
  cursor: text(2_000, 1).optional().meta({ description: 'The `next_cursor` of the answer before.' }),
});
export type RepliesQuery = z.output<typeof query>;

export const replyRoutes = {
  listCampaignReplies: route({
    method: 'GET',
    path: '/api/v1/campaigns/{id}/replies',
    summary: 'List the replies to a campaign',
    description:
      'Who replied to a campaign and with what, newest first: the first message of each contact after the campaign wrote to it. The count is in `getCampaign`, as `funnel.replied`; replies that came before this list was introduced are counted and not listed. Contacts who were deleted are left out.',
    caller: { kind: 'token', scope: 'campaigns:read', role: 'viewer' },
    params: z.object({ id: pathId }),
    query,
    answers: { 200: success(z.array(campaignReply)).extend({ meta: cursorMeta }) },
    errors: ['validation_failed', 'invalid_cursor', 'not_found'],
  }),
};
