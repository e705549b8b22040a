import type { ProjectedEntity, ProjectedRow } from '../../../shared/events/projection.ts';
import type { Projection } from '../../../shared/events/react.ts';
import { all as both, any, equals, exists, missing } from '../../../shared/table/condition.ts';
import { Conflict } from '../../../shared/table/conflict.ts';
import { counterEntity } from '../../../shared/table/counter.ts';
import { changedAttributes, isNew, type StreamPosition, withCheckpoint } from '../domain.ts';
import type { StreamRecord } from './stream-record.ts';

/** Applies the projections of a batch: one write a row, whatever the number of changes. */
export const applyProjections = async (records: readonly StreamRecord[], entities: readonly ProjectedEntity[]): Promise<void> => {
  const all: readonly ProjectedEntity[] = [counterEntity, ...entities];
  const byName = new Map(all.map((entity) => [entity.name, entity]));
  const rows = new Map<string, RowChanges>();
  for (const { position, consequences } of records) {
    for (const consequence of consequences) {
      if (consequence.kind !== 'projection') continue;
      const entity = byName.get(consequence.into);
      if (!entity) throw new Error(`No context declares the projection ${consequence.into}.`);
      const { pk, sk } = entity.key(consequence.id);
      const row = rows.get(`${pk}|${sk}`) ?? { entity, id: consequence.id, changes: [] };
      row.changes.push({ position, apply: consequence.apply });
      rows.set(`${pk}|${sk}`, row);
    }
  }
  await Promise.all([...rows.values()].map(applyToRow));
};

interface RowChanges {
  entity: ProjectedEntity;
  id: unknown;
  changes: { position: StreamPosition; apply: Projection['apply'] }[];
}

const maxAttempts = 20;

/**
 * Writes a row on the condition that it is as it was read; otherwise reads and applies again. An expired row counts as none, although the
 * table may keep it for days: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 */
async function applyToRow({ entity, id, changes }: RowChanges): Promise<void> {
  let row = await entity.get(id);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const seen = row;
    const fresh = changes.filter(({ position }) => isNew(seen?.checkpoints ?? {}, position));
    const last = fresh.at(-1);
    if (!last) return;
    const applied = fresh.reduce<Record<string, unknown> | undefined>((current, { apply }) => apply(current) ?? current, seen);
    if (applied === undefined) {
      // only a consistent read proves that there is no row: a group may be a moment old when its first contact joins
      if (seen !== undefined || attempt > 0) return;
      row = await entity.get(id, { consistent: true });
      if (row === undefined) return;
      continue;
    }
    // the changes add nothing to the row: no write, and no checkpoint either, since adding nothing twice is harmless
    if (applied === seen) return;
    const next: ProjectedRow = {
      ...applied,
      rev: (seen?.rev ?? 0) + 1,
      checkpoints: withCheckpoint(seen?.checkpoints ?? {}, last.position),
    };
    const written = seen
      ? await entity.change(
          id,
          { set: changedAttributes(entity.stored(seen), entity.stored(next)) },
          // a missing item has no `rev` either: without `exists` the write would restore a deleted row without its other fields
          both(exists(), any(equals('rev', seen.rev), missing('rev'))),
        )
      : await entity.put(next, missing());
    if (written.done) return;
    row = await entity.get(id, { consistent: true });
  }
  throw new Conflict(`A row of ${entity.name} changed ${maxAttempts} times while a projection was applied.`);
}
