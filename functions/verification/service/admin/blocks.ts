import * as z from 'zod';
import { problem, type Problem } from '../../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../../shared/table/cursor.ts';
import type { BlockRecord } from '../../contract/admin.ts';
import { type Block, getBlock, listBlocks, deleteBlock } from '../../store/block.ts';
import { updateRequestBudgetFields, getRequestBudget } from '../../store/request-budget.ts';
import { isAttemptCounter } from '../../domain/request-budget.ts';
import { isBucketField } from '../../domain/prefix.ts';
import { updatePrefix, getPrefix } from '../../store/prefix.ts';
import { updateSource, getSource, identifierFields } from '../../store/source.ts';

/** A page of the active blocks. Filtered by profile, a page may be shorter than its limit. */
export const listVerificationBlocks = async (
  companyId: number,
  { profile_id: profileId, limit, cursor }: { profile_id?: string | undefined; limit?: number | undefined; cursor?: string | undefined },
): Promise<{ blocks: BlockRecord[]; nextCursor: string | null } | Problem<'invalid_cursor'>> => {
  const scope = `${companyId}:verification-blocks:${profileId ?? ''}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, cursorPosition);
  if (cursor !== undefined && after === undefined) return problem('invalid_cursor');
  const page = await listBlocks(companyId, after?.id, limit ?? 50);
  const at = now();
  const blocks = page.items.filter((each) => each.blockedUntil > at && (profileId === undefined || each.profileId === profileId));
  return { blocks: blocks.map(toBlockRecord), nextCursor: page.last ? await encodeCursor(scope, { id: page.last }) : null };
};

/** Ends a block and resets its counters. The listed entry goes last, so that a failure in between leaves it for another try. */
export const deleteVerificationBlock = async (companyId: number, id: string): Promise<boolean> => {
  const block = await getBlock(companyId, id);
  if (!block) return false;
  await removeBlockSource(block);
  await deleteBlock(companyId, id);
  return true;
};

async function removeBlockSource({ companyId, profileId, subjectKind, subject }: Block): Promise<void> {
  switch (subjectKind) {
    case 'identifier': {
      const budgetId = { companyId, profileId, identifierHash: subject };
      const budget = await getRequestBudget(budgetId, { consistent: true });
      const counters = Object.keys(budget ?? {}).filter(isAttemptCounter);
      if (budget)
        await updateRequestBudgetFields(budgetId, { spent: 0, sends: [], blocks: [], rev: budget.rev + 1 }, [
          'blockedUntil',
          'blockReason',
          'blockScope',
          ...counters,
        ]);
      return;
    }
    case 'ip': {
      const sourceId = { companyId, profileId, address: subject };
      const source = await getSource(sourceId);
      if (source) await updateSource(sourceId, {}, ['blockedUntil', ...identifierFields(source)]);
      return;
    }
    case 'prefix': {
      const prefixId = { companyId, profileId, prefix: subject };
      const counts = Object.keys((await getPrefix(prefixId)) ?? {}).filter(isBucketField);
      return updatePrefix(prefixId, {}, ['blockedUntil', ...counts]);
    }
  }
}

const cursorPosition = z.object({ id: z.string() });

const toBlockRecord = (block: Block): BlockRecord => ({
  id: block.id,
  profile_id: block.profileId,
  kind: block.subjectKind,
  subject: block.shown,
  reason: block.reason,
  blocked_at: isoTime(block.createdAt),
  blocked_until: isoTime(block.blockedUntil),
});
