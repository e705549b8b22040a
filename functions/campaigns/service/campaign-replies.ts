import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { type CursorPage, listByCursor } from '../../../shared/table/page.ts';
import { getLiveContacts } from '../../contacts/service/audience.ts';
import { getContactMessages } from '../../messaging/service/messages.ts';
import { messageTypes } from '../../messaging/contract/stored.ts';
import type { CampaignReply, RepliesQuery } from '../contract/reply.ts';
import type { StoredReply } from '../contract/stored.ts';
import { getStoredCampaign } from '../store/campaign.ts';
import { listReplies } from '../store/reply.ts';

const position = z.object({ at: z.int().nonnegative(), contactId: z.int().positive() });

/** Replies, newest first, with what they say. 0.5 RRU a contact, a message and 4 KB of replies; those of deleted contacts are left out. */
export const listCampaignReplies = (
  companyId: number,
  campaignId: number,
  { limit, cursor }: RepliesQuery,
): Promise<CursorPage<CampaignReply> | Problem<'not_found' | 'invalid_cursor'>> =>
  listByCursor({ scope: `campaign-replies:${companyId}:${campaignId}`, cursor, position }, async (after) => {
    const campaign = await getStoredCampaign(companyId, campaignId);
    if (!campaign || campaign.status === 'deleted') return problem('not_found');
    const found = await listReplies(companyId, campaignId, { after, limit: limit + 1 });
    const replies = found.slice(0, limit);
    const last = replies.at(-1);
    return {
      items: await viewsOf(companyId, replies),
      next: found.length > limit && last ? { at: last.at, contactId: last.contactId } : undefined,
    };
  });

async function viewsOf(companyId: number, replies: readonly StoredReply[]): Promise<CampaignReply[]> {
  const [contacts, messages] = await Promise.all([
    getLiveContacts(
      companyId,
      replies.map(({ contactId }) => contactId),
    ),
    getContactMessages(
      companyId,
      replies.map(({ contactId, messageId }) => ({ contactId, id: messageId })),
    ),
  ]);
  const texts = new Map(messages.map((message) => [`${message.contactId}:${message.id}`, message]));
  return replies.flatMap(({ contactId, messageId, at, hasStopped = false }) => {
    const contact = contacts.get(contactId);
    const message = texts.get(`${contactId}:${messageId}`);
    if (!contact) return [];
    return {
      contact_id: contactId,
      name: contact.name ?? null,
      phone: contact.phone === '' ? null : contact.phone,
      message_id: message ? messageId : null,
      text: message?.type === messageTypes.text ? message.value : null,
      opted_out: hasStopped,
      replied_at: isoTime(at),
    };
  });
}
