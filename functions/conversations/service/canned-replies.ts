import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import type { CannedReplyRecord } from '../contract/canned-reply.ts';
import { type CannedReply, deleteStoredCannedReply, listStoredCannedReplies, putCannedReply } from '../store/canned-reply.ts';

/** By shortcut. */
export const listCannedReplies = async (companyId: number): Promise<CannedReplyRecord[]> =>
  (await listStoredCannedReplies(companyId)).map(toRecord);

/** Creates or replaces. Concurrent first calls may exceed the limit by their number. */
export const setCannedReply = async (
  companyId: number,
  shortcut: string,
  text: string,
): Promise<CannedReplyRecord | Problem<'validation_failed'>> => {
  const known = await listStoredCannedReplies(companyId);
  if (known.length >= maxCannedReplies && !known.some((each) => each.shortcut === shortcut))
    return invalid('shortcut', `A company has at most ${maxCannedReplies} canned replies.`);
  const reply = { companyId, shortcut, text, updatedAt: now() };
  await putCannedReply(reply);
  return toRecord(reply);
};

export const deleteCannedReply = async (companyId: number, shortcut: string): Promise<{ shortcut: string } | Problem<'not_found'>> =>
  (await deleteStoredCannedReply(companyId, shortcut)) ? { shortcut } : problem('not_found');

const maxCannedReplies = 500;

const toRecord = ({ shortcut, text, updatedAt }: CannedReply): CannedReplyRecord => ({ shortcut, text, updated_at: isoTime(updatedAt) });
