import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { campaignReplyEntityName, type ReplyId, storedReply, type StoredReply } from '../contract/stored.ts';

const partition = (companyId: number, campaignId: number): string => `${tenant(companyId)}#CAMPAIGN#${campaignId}`;
const replyKey = (at: number, contactId: number): string => `R#${sortable(at)}#${sortable(contactId)}`;

/** Beside the recipients of the campaign, by the time of the reply. */
export const replyEntity = entity({
  name: campaignReplyEntityName,
  purpose: 'The first reply of a contact to a campaign',
  attributes: storedReply,
  key: ({ companyId, campaignId, contactId, at }: ReplyId) => ({ pk: partition(companyId, campaignId), sk: replyKey(at, contactId) }),
  idOf: ({ companyId, campaignId, contactId, at }) => ({ companyId, campaignId, contactId, at }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'R#<time, 16 digits>#<contact, 16 digits>' },
});

export const listReplies = pattern(
  {
    question: 'replies to a campaign, newest first',
    entity: campaignReplyEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB (about 20 replies)',
  },
  (
    companyId: number,
    campaignId: number,
    { after, limit }: { after: { at: number; contactId: number } | undefined; limit: number },
  ): Promise<StoredReply[]> =>
    replyEntity.collect(
      {
        pk: partition(companyId, campaignId),
        between: ['R#', after === undefined ? 'R#~' : replyKey(after.at, after.contactId - 1)],
        descending: true,
      },
      { atMost: limit },
    ),
);
