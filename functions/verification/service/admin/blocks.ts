import * as z from 'zod';
import type { Problem } from '../../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import { type CursorPage, listByCursor } from '../../../../shared/table/page.ts';
import type { BlockRecord } from '../../contract/admin.ts';
import { type Block, getBlock, listBlocks, deleteBlock } from '../../store/block.ts';
import { updateRequestBudgetFields, getRequestBudget } from '../../store/request-budget.ts';
import { isAttemptCounter } from '../../domain/request-budget.ts';
import { isBucketField } from '../../domain/prefix.ts';
import { updatePrefix, getPrefix } from '../../store/prefix.ts';
import { updateSource, getSource, identifierFields, requestFields } from '../../store/source.ts';

const position = z.object({ id: z.string() });

/** A page of the active blocks. Filtered by profile, a page may be shorter than its limit. */
export const listVerificationBlocks = (
  companyId: number,
  {
    profile_id: profileId,
    limit = 50,
    cursor,
  }: { profile_id?: string | undefined; limit?: number | undefined; cursor?: string | undefined },
): Promise<CursorPage<BlockRecord> | Problem<'invalid_cursor'>> =>
  listByCursor({ scope: `${companyId}:verification-blocks:${profileId ?? ''}`, cursor, position }, async (after) => {
    const page = await listBlocks(companyId, after?.id, limit);
    const at = now();
    const blocks = page.items.filter((each) => each.blockedUntil > at && (profileId === undefined || each.profileId === profileId));
    return { items: blocks.map(toBlockRecord), next: page.last === undefined ? undefined : { id: page.last } };
  });

/** Ends a block and resets its counters. The listed entry goes last, so that a failure in between leaves it for another try. */
export const deleteVerificationBlock = async (companyId: number, id: string): Promise<boolean> => {
  const block = await getBlock(companyId, id);
  if (!block) return false;
  await removeBlockSource(block);
  await deleteBlock(companyId, id);
  return true;
};

async function removeBlockSource({ companyId, profileId, subjectKind, subject, address }: Block): Promise<void> {
  if (subjectKind === 'identifier' && address !== undefined) {
    const sourceId = { companyId, profileId, address };
    const source = await getSource(sourceId);
    const fields = source ? requestFields(source, subject) : [];
    return fields.length === 0 ? undefined : updateSource(sourceId, {}, fields);
  }
  switch (subjectKind) {
    case 'identifier': {
      const budgetId = { companyId, profileId, identifierHash: subject };
      const budget = await getRequestBudget(budgetId, { consistent: true });
      const counters = Object.keys(budget ?? {}).filter(isAttemptCounter);
      if (budget)
        await updateRequestBudgetFields(budgetId, { spent: 0, sends: [], serverSends: [], blocks: [], rev: budget.rev + 1 }, [
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

const toBlockRecord = (block: Block): BlockRecord => ({
  id: block.id,
  profile_id: block.profileId,
  kind: block.subjectKind,
  subject: block.shown,
  reason: block.reason,
  blocked_at: isoTime(block.createdAt),
  blocked_until: isoTime(block.blockedUntil),
});
