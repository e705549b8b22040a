import * as z from 'zod';
import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { ulid } from '../../../shared/runtime/ids.ts';
import { log } from '../../../shared/runtime/log.ts';
import { type CursorPage, listByCursor } from '../../../shared/table/page.ts';
import type { ReceiverPost, ReceiverPostQuery, ReceiverPostRecord } from '../contract/receiver-post.ts';
import { listAppliedDeliveries } from '../store/delivery.ts';
import { listStoredReceiverPosts, putReceiverPost } from '../store/receiver-post.ts';

/** What is known of a post beside its answer. */
export type SeenPost = Partial<Pick<ReceiverPost, 'topic' | 'about' | 'deliveryKey' | 'isUnsigned'>>;

/**
 * Records what became of a post. A post that cannot be recorded is answered all the same: its sender would only repeat it. One beyond a limit
 * costs its sender nothing, and so the company neither.
 */
export const recordReceiverPost = async (
  { companyId, credentialId }: Pick<Principal, 'companyId' | 'credentialId'>,
  receiver: ReceiverPost['receiver'],
  answer: Answered,
  { topic = '', about = '', ...seen }: SeenPost,
): Promise<void> => {
  if (isProblem(answer) && answer.problem === 'rate_limited') return;
  const at = now();
  await putReceiverPost({
    companyId,
    id: ulid(at),
    at,
    receiver,
    credentialId,
    ...outcomeOf(answer),
    ...(topic === '' ? {} : { topic: topic.slice(0, 100).toWellFormed() }),
    ...(about === '' ? {} : { about: about.slice(0, 200).toWellFormed() }),
    ...seen,
  }).catch((error: unknown) => log.error('A post to a receiver was not recorded', error));
};

/** What a receiver answers: it queued the post, applied it to an order, or did neither. */
type Answered = Problem | { queued?: true | undefined } | { order: object } | { ignored: true };

const outcomeOf = (answer: Answered): Pick<ReceiverPost, 'outcome' | 'code' | 'fields'> => {
  if ('queued' in answer && answer.queued) return { outcome: 'queued' };
  if ('order' in answer) return { outcome: 'applied' };
  if (!isProblem(answer)) return { outcome: 'ignored' };
  const fields = Object.keys(answer.errors ?? {}).map((field) => field.slice(0, 300));
  return { outcome: 'refused', code: answer.problem, ...(fields.length > 0 ? { fields: fields.slice(0, 20) } : {}) };
};

/** Posts that a page reads at most; where its filter passes few of them, the next page goes on behind. */
const mostRead = 1_000;

/** Posts to receivers, newest first, with when their deliveries were applied. */
export const listReceiverPosts = async (
  companyId: number,
  { limit, cursor, receiver, outcome }: ReceiverPostQuery,
): Promise<CursorPage<ReceiverPostRecord> | Problem<'invalid_cursor'>> => {
  const isWanted = (post: ReceiverPost): boolean =>
    (receiver === undefined || post.receiver === receiver) && (outcome === undefined || post.outcome === outcome);
  const atMost = receiver === undefined && outcome === undefined ? limit + 1 : mostRead;
  return listByCursor({ scope: `receiver-posts:${companyId}`, cursor, position: z.object({ id: z.string() }) }, async (after) => {
    const found = await listStoredReceiverPosts(companyId, after?.id, atMost);
    const wanted = found.filter(isWanted);
    const items = wanted.slice(0, limit);
    // behind the last one shown, or behind all that was read
    const last = wanted.length > limit ? items.at(-1) : found.length === atMost ? found.at(-1) : undefined;
    const keys = items.flatMap(({ deliveryKey }) => (deliveryKey === undefined ? [] : [deliveryKey]));
    const applied = new Map((await listAppliedDeliveries(companyId, [...new Set(keys)])).map(({ key, at }) => [key, at]));
    return { items: items.map((post) => receiverPostRecordOf(post, applied)), next: last && { id: last.id } };
  });
};

const receiverPostRecordOf = (post: ReceiverPost, applied: ReadonlyMap<string, number>): ReceiverPostRecord => {
  const appliedAt = post.outcome === 'applied' ? post.at : applied.get(post.deliveryKey ?? '');
  return {
    id: post.id,
    receiver: post.receiver,
    credential_id: post.credentialId,
    topic: post.topic ?? null,
    about: post.about ?? null,
    outcome: post.outcome,
    code: post.code ?? null,
    fields: post.fields ?? [],
    is_signed: post.isUnsigned !== true,
    received_at: isoTime(post.at),
    applied_at: appliedAt === undefined ? null : isoTime(appliedAt),
  };
};
