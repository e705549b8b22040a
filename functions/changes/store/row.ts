import type { ProjectedEntity, ProjectedRow } from '../../../shared/events/projection.ts';
import { all as both, any, equals, exists, missing } from '../../../shared/table/condition.ts';
import { changedAttributes } from '../domain.ts';

/** Writes a projected row on the condition that it is as it was read; none: that there is none. Every write moves `rev`. */
export const replaceRow = async (
  entity: ProjectedEntity,
  id: unknown,
  seen: ProjectedRow | undefined,
  row: Record<string, unknown>,
): Promise<boolean> => {
  const next: ProjectedRow = { checkpoints: {}, ...row, rev: (seen?.rev ?? 0) + 1 };
  const written = seen
    ? await entity.change(
        id,
        { set: changedAttributes(entity.stored(seen), entity.stored(next)) },
        // a missing item has no `rev` either: without `exists` the write would restore a deleted row without its other fields
        both(exists(), any(equals('rev', seen.rev), missing('rev'))),
      )
    : await entity.put(next, missing());
  return written.done;
};
