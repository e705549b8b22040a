import * as z from 'zod';
import { exists } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#CANNED`;

export const cannedReplyEntity = entity({
  name: 'canned-reply',
  purpose: 'A text that the users of a company answer with often',
  attributes: z.object({ companyId: z.int(), shortcut: z.string(), text: z.string(), updatedAt: z.int() }),
  key: ({ companyId, shortcut }: { companyId: number; shortcut: string }) => ({ pk: partition(companyId), sk: shortcut }),
  idOf: ({ companyId, shortcut }) => ({ companyId, shortcut }),
  example: { pk: 'C#<company>#CANNED', sk: '<shortcut>' },
});
export type CannedReply = ItemOf<typeof cannedReplyEntity>;

export const listStoredCannedReplies = pattern(
  { question: 'the canned replies of a company', entity: 'canned-reply', by: 'Query', units: '1 RRU per 4 KB' },
  (companyId: number): Promise<CannedReply[]> => cannedReplyEntity.collect({ pk: partition(companyId), consistent: true }),
);

export const putCannedReply = pattern(
  { question: 'set a canned reply', entity: 'canned-reply', by: 'PutItem', units: '1 WRU per KB' },
  async (reply: CannedReply): Promise<void> => {
    await cannedReplyEntity.put(reply);
  },
);

/** False: there is none. */
export const deleteStoredCannedReply = pattern(
  { question: 'delete a canned reply', entity: 'canned-reply', by: 'DeleteItem', units: '1 WRU per KB' },
  async (companyId: number, shortcut: string): Promise<boolean> => (await cannedReplyEntity.delete({ companyId, shortcut }, exists())).done,
);
