import type { ProjectedEntity, ProjectedRow } from '../../../shared/events/projection.ts';
import { gathered } from '../../../shared/runtime/gather.ts';
import { batchGet } from '../../../shared/table/batch-get.ts';
import { any, equals, missing } from '../../../shared/table/condition.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { beginEach } from '../../../shared/table/write-each.ts';

/** Projected rows by key, as stored: one that breaks its schema is for the caller to set aside. A missing row is left out. */
export const getRows = pattern(
  { question: 'the rows that projections write', entity: 'any', by: 'BatchGetItem', units: '0.5 RRU a row' },
  (keys: readonly { pk: string; sk: string }[]): Promise<ReadonlyMap<string, Record<string, unknown>>> => batchGet(keys),
);

/** Writes a projected row on the condition that it is as it was read; none: that there is none. Every write moves `rev`. */
export const replaceRow = async (
  entity: ProjectedEntity,
  seen: ProjectedRow | undefined,
  row: Record<string, unknown>,
): Promise<boolean> => {
  const next: ProjectedRow = { checkpoints: {}, ...row, rev: (seen?.rev ?? 0) + 1 };
  return (await writeRow(seen ? entity.replacing(seen, next) : entity.inserting(next))).done;
};

/** Writes a whole row as it was read, with the index keys that follow from it: one written before an index was there is then in it. */
export const reindexRow = pattern(
  {
    question: 'a projected row that an index does not hold as it should',
    entity: 'any',
    by: 'PutItem',
    units: '1 WRU, and 2 for each index',
  },
  async (entity: ProjectedEntity, seen: ProjectedRow, row: Record<string, unknown>): Promise<boolean> => {
    const next: ProjectedRow = { checkpoints: seen.checkpoints, ...row, rev: seen.rev + 1 };
    return (await entity.put(next, seen.rev === 0 ? any(equals('rev', 0), missing('rev')) : equals('rev', seen.rev))).done;
  },
);

/** The rows of a batch of the stream are ready at the same time. */
const writeRow = gathered({ atMost: 100, withinMs: 1 }, beginEach<ProjectedRow>);
