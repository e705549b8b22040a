import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { type ReceiverPost, storedReceiverPost } from '../contract/receiver-post.ts';

/** Seconds for which a post is listed: a week, a day less than the mark of its delivery. */
const listedForSeconds = 7 * 86_400;

const receiverPostEntity = entity({
  name: 'shop-receiver-post',
  purpose: 'A post to a receiver of the shop and what became of it, for a week',
  attributes: storedReceiverPost,
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: partition(companyId), sk: id }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ at }) => Math.floor(at / 1_000) + listedForSeconds,
  example: { pk: 'C#<company>#SHOPPOST', sk: '<ULID>' },
});

export const putReceiverPost = pattern(
  { question: 'record a post to a receiver', entity: 'shop-receiver-post', by: 'PutItem', units: '1 WRU' },
  async (post: ReceiverPost): Promise<void> => {
    await receiverPostEntity.put(post);
  },
);

/** Newest first, behind the post with this id. */
export const listStoredReceiverPosts = pattern(
  { question: 'posts to receivers, newest first', entity: 'shop-receiver-post', by: 'Query', units: '0.5 RRU per 4 KB (about 15 posts)' },
  (companyId: number, before: string | undefined, atMost: number): Promise<ReceiverPost[]> =>
    receiverPostEntity.collect(
      {
        pk: partition(companyId),
        descending: true,
        ...(before === undefined ? {} : { after: { ...receiverPostEntity.key({ companyId, id: before }) } }),
      },
      { atMost },
    ),
);

function partition(companyId: number): string {
  return `${tenant(companyId)}#SHOPPOST`;
}
