import { $ZodError } from 'zod/v4/core';
import { rowCheckpoints, shardName, type StreamPosition } from '../../../shared/events/checkpoints.ts';
import type { Checkpoints, ProjectedEntity, ProjectedRow } from '../../../shared/events/projection.ts';
import type { Projection } from '../../../shared/events/react.ts';
import { conflict, Conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { isRefusedForGood } from '../../../shared/runtime/refused-for-good.ts';
import { keyText } from '../../../shared/table/batch-get.ts';
import { counterEntity } from '../../../shared/table/counter.ts';
import { companyOfKey } from '../../../shared/table/schema.ts';
import { shardPartOf } from '../domain.ts';
import { getConfirmed, listConfirmed } from '../store/shard.ts';
import { getRows, replaceRow } from '../store/row.ts';
import { setAside } from './set-aside.ts';
import { isBusy, soonEnough } from './slow-write.ts';
import { isLeft, partOfRow, type RefusedConsequence, type StreamRecord } from './stream-record.ts';

interface Applied {
  applied: readonly StreamRecord[];
  /** What of them the table refuses to write at any attempt: a row that would be too large. */
  refused: readonly RefusedConsequence[];
  /** Companies with a row that takes no writes for now, and on which only changes of the company itself are. */
  slow: ReadonlySet<number>;
  shouldConfirm: boolean;
}

/**
 * Applies the projections of a batch of one shard: one write a row, whatever the number of changes. Where more shards write to a row than
 * its checkpoints have place for (`shouldConfirm`), the shard is to confirm the batch once it is done with, so that later writers may drop its
 * checkpoint.
 *
 * A record whose projection fails is set aside before anything is written: its rows then have later checkpoints, which say no more that it
 * is missing.
 */
export const applyProjections = async (
  records: readonly StreamRecord[],
  shardId: string,
  entities: readonly ProjectedEntity[],
): Promise<Applied> => {
  const rows = await readRows(changesByRow(records, entities));
  const checkpoints = rows.map(({ seen }) => seen?.checkpoints ?? {});
  const surplus = new Set(checkpoints.flatMap((each) => rowCheckpoints.surplusShards(each, shardId)));
  // both after the rows: what a row shows to be dropped was confirmed before
  const [confirmed, others] = await Promise.all([
    confirmedFor(checkpoints, shardId),
    surplus.size === 0 ? new Map<string, bigint>() : listConfirmed([...surplus]),
  ]);
  const unreadable = new Map(rows.flatMap((row) => failuresOf(row, confirmed)).map(({ record, error }) => [record, error]));
  if (unreadable.size > 0) {
    await setAside([...unreadable].map(([{ raw }, error]) => ({ raw, error })));
    const others = records.filter((record) => !unreadable.has(record));
    return applyProjections(others, shardId, entities);
  }
  const written = await Promise.allSettled(rows.map((row) => soonEnough(applyToRow(row, { shardId, confirmed, others }))));
  // only when all other rows are written: a batch that is repeated sets nothing aside
  const slow = new Set(
    written.flatMap((each, index) => {
      if (each.status === 'fulfilled' || isRefusedForGood(each.reason)) return [];
      const companyId = isBusy(each.reason) ? companyOfRow(rows[index]) : undefined;
      if (companyId === undefined) throw each.reason;
      return [companyId];
    }),
  );
  return {
    applied: records,
    refused: written.flatMap((each, index) =>
      each.status === 'rejected' && isRefusedForGood(each.reason) ? refusalsOf(rows[index], each.reason) : [],
    ),
    slow,
    shouldConfirm: written.some((each) => each.status === 'fulfilled' && each.value),
  };
};

/** The company whose row it is, where all changes on it are of the company itself. */
const companyOfRow = (row: RowChanges | undefined): number | undefined => {
  const companyId = row && companyOfKey(row.key.pk);
  return companyId !== undefined && row?.changes.every(({ record }) => record.companyId === companyId) ? companyId : undefined;
};

interface RowChanges {
  entity: ProjectedEntity;
  id: unknown;
  key: { pk: string; sk: string };
  changes: { record: StreamRecord; part: string; position: StreamPosition; apply: Projection['apply']; isEvidence?: true | undefined }[];
}

const refusalsOf = (row: RowChanges | undefined, error: unknown): RefusedConsequence[] =>
  row?.changes.map(({ record, part }) => ({ record, part, error })) ?? [];

interface ReadRow extends RowChanges {
  seen: ProjectedRow | undefined;
  /** Why the stored row breaks its schema. */
  error?: unknown;
}

interface FailedChange {
  record: StreamRecord;
  error: unknown;
}

async function readRows(rows: readonly RowChanges[]): Promise<ReadRow[]> {
  try {
    return parsedRows(rows, await getRows(rows.map(({ key }) => key)));
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    const [row] = rows;
    if (rows.length === 1 && row) return [{ ...row, seen: undefined, error }];
    // the table refuses the whole request for one key
    return (await Promise.all(rows.map((each) => readRows([each])))).flat();
  }
}

const parsedRows = (rows: readonly RowChanges[], stored: ReadonlyMap<string, Record<string, unknown>>): ReadRow[] =>
  rows.map((row) => {
    try {
      return { ...row, seen: row.entity.parseStored(stored.get(keyText(row.key))) };
    } catch (error) {
      if (!(error instanceof $ZodError)) throw error;
      return { ...row, seen: undefined, error };
    }
  });

/** The changes that can be applied at no attempt: the row breaks its schema, or the projection fails on it. */
function failuresOf({ changes, seen, error }: ReadRow, confirmed: bigint | undefined): FailedChange[] {
  if (error !== undefined) return changes.map(({ record }) => ({ record, error }));
  const failures: FailedChange[] = [];
  let current: Record<string, unknown> | undefined = seen;
  for (const { record, apply } of changes.filter(({ position }) => rowCheckpoints.isNew(seen?.checkpoints ?? {}, position, confirmed))) {
    try {
      current = apply(current) ?? current;
    } catch (failure) {
      failures.push({ record, error: failure });
    }
  }
  return failures;
}

function changesByRow(records: readonly StreamRecord[], entities: readonly ProjectedEntity[]): RowChanges[] {
  const byName = new Map([counterEntity as ProjectedEntity, ...entities].map((entity) => [entity.name, entity]));
  const rows = new Map<string, RowChanges>();
  for (const record of records) {
    for (const consequence of record.consequences) {
      if (consequence.kind !== 'projection' || !isLeft(record, partOfRow(consequence))) continue;
      const entity = byName.get(consequence.into);
      if (!entity) throw new Error(`No context declares the projection ${consequence.into}.`);
      const { id, apply } = consequence.partOf === undefined ? consequence : inPart(consequence, shardPartOf(record.position.shardId));
      const key = entity.key(id);
      const row = rows.get(keyText(key)) ?? { entity, id, key, changes: [] };
      row.changes.push({ record, part: partOfRow(consequence), position: record.position, apply, isEvidence: consequence.isEvidence });
      rows.set(keyText(key), row);
    }
  }
  return [...rows.values()];
}

const inPart = ({ id, apply }: Projection, part: number): Pick<Projection, 'id' | 'apply'> => ({
  id: { ...(id as object), part },
  apply: (row) => {
    const next = apply(row);
    return next === undefined || next === row ? next : { ...next, part };
  },
});

/** A consistent read, where one of the rows has dropped checkpoints and shows none of this shard. */
const confirmedFor = async (rows: readonly Checkpoints[], shardId: string): Promise<bigint | undefined> =>
  rows.some((checkpoints) => rowCheckpoints.needsConfirmation(checkpoints, shardId)) ? getConfirmed(shardName(shardId)) : undefined;

interface Shards {
  shardId: string;
  /** Up to which record this shard is done, read after the rows. */
  confirmed: bigint | undefined;
  /** The same of the shards whose checkpoints the rows may drop. */
  others: ReadonlyMap<string, bigint>;
}

const maxAttempts = 20;

/**
 * Writes a row on the condition that it is as it was read; otherwise reads and applies again. An expired row counts as none, although the
 * table may keep it for days: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 * True: more shards than `maxCheckpoints` write to it.
 */
async function applyToRow(row: ReadRow, { shardId, others, ...shard }: Shards): Promise<boolean> {
  const { entity, id } = row;
  let { seen } = row;
  let { confirmed } = shard;
  const readAgain = async (): Promise<void> => {
    seen = await entity.get(id, { consistent: true });
    confirmed = await confirmedFor(seen ? [seen.checkpoints] : [], shardId);
  };
  return retryOnConflict(
    maxAttempts,
    async (attempt) => {
      if (attempt > 1) await readAgain();
      let next = rowAfter(row, seen, confirmed);
      // only a consistent read proves that there is no row, or that it has all that these changes say: the one read may be that of a moment ago
      if (!next && attempt === 1 && (!seen || hasFresh(row, seen, confirmed))) {
        await readAgain();
        next = seen && rowAfter(row, seen, confirmed);
      }
      if (!next) return false;
      const after = {
        ...next,
        checkpoints: rowCheckpoints.withoutConfirmed(next.checkpoints, crowds(next.checkpoints, shardId) ? others : new Map()),
      };
      return (await replaceRow(entity, seen, after)) ? crowds(after.checkpoints, shardId) : conflict;
    },
    () => {
      throw new Conflict(`A row of ${entity.name} changed ${maxAttempts} times while a projection was applied.`);
    },
  );
}

const crowds = (checkpoints: Checkpoints, shardId: string): boolean => rowCheckpoints.surplusShards(checkpoints, shardId).length > 0;

const freshIn = ({ changes }: RowChanges, seen: ProjectedRow | undefined, confirmed: bigint | undefined): RowChanges['changes'] =>
  changes.filter(({ position }) => rowCheckpoints.isNew(seen?.checkpoints ?? {}, position, confirmed));

const hasFresh = (...given: Parameters<typeof freshIn>): boolean => freshIn(...given).some(({ isEvidence }) => !isEvidence);

/** The row with the changes that it does not contain; undefined when they add nothing: adding nothing twice is harmless, so no checkpoint is written. */
function rowAfter(row: RowChanges, seen: ProjectedRow | undefined, confirmed: bigint | undefined): ProjectedRow | undefined {
  const fresh = freshIn(row, seen, confirmed);
  const last = fresh.at(-1);
  const applied = fresh.reduce<Record<string, unknown> | undefined>((current, { apply }) => apply(current) ?? current, seen);
  if (!last || applied === undefined || applied === seen) return undefined;
  return { ...applied, rev: seen?.rev ?? 0, checkpoints: rowCheckpoints.withCheckpoint(seen?.checkpoints ?? {}, last.position) };
}
