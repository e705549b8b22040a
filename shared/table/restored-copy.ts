import * as z from 'zod';
import { restoredTableVariable } from '../contract/resource.ts';
import { now } from '../runtime/clock.ts';
import { optionalSetting } from '../runtime/env.ts';
import { processMap } from '../runtime/memory.ts';
import { entity, type ItemOf } from './entity.ts';
import { pattern } from './pattern.ts';

/**
 * Whether this deployment runs on a restored table, and how far the operator has brought it (docs/decisions/restore-in-time.md). The stack gives its
 * functions the name of the copy, the table and the label of its stream; the table's own item names the copy that was opened. A table that was
 * restored from an opened one has the item of that one, so it is closed.
 */
export const restoredCopyEntity = entity({
  name: 'restored-copy',
  purpose: 'How far a restored table is brought: closed until its journal is applied, then readable, then open',
  attributes: z.object({
    /** The table and the label of its stream. */
    copy: z.string(),
    state: z.enum(['closed', 'readable', 'open']),
    /** The table whose journal is applied, and from when on, epoch milliseconds. */
    source: z.string(),
    sinceMs: z.int(),
    /** The last object of the journal that is applied. */
    appliedUpTo: z.string().optional(),
    /** Items that were brought back, by kind. */
    restored: z.record(z.string(), z.int()),
    updatedAt: z.int(),
  }),
  key: () => ({ pk: restoredCopyPartition, sk: 'COPY' }),
  idOf: () => ({}),
  example: { pk: 'RESTORED', sk: 'COPY' },
});
export type RestoredCopy = ItemOf<typeof restoredCopyEntity>;
export type RestoreState = RestoredCopy['state'];

/** Functions of a stack on a restored table may read it, whatever else they may. */
export const restoredCopyPartition = 'RESTORED';

export const getRestoredCopy = pattern(
  {
    question: 'how far a restored table is brought',
    entity: 'restored-copy',
    by: 'GetItem',
    units: '1 RRU for a process on a restored table; none on a table that was never restored',
  },
  (): Promise<RestoredCopy | undefined> => restoredCopyEntity.get({}, { consistent: true }),
);

export const putRestoredCopy = pattern(
  { question: 'a restored table is brought further', entity: 'restored-copy', by: 'PutItem', units: '1 WRU' },
  async (copy: RestoredCopy): Promise<void> => void (await restoredCopyEntity.put(copy)),
);

/** The copy that this deployment runs on; undefined: its table was never restored. */
export const ownCopy = (): string | undefined => optionalSetting(restoredTableVariable);

/** How long a process believes that the table is not open yet. That it is open stays so: a copy that is restored again has another name. */
const closedForMs = 5_000;
const known = processMap<string, { state: RestoreState; at: number }>();

export const restoreState = async (): Promise<RestoreState> => {
  const copy = ownCopy();
  if (copy === undefined) return 'open';
  const seen = known.get(copy);
  if (seen && (seen.state === 'open' || now() - seen.at < closedForMs)) return seen.state;
  const stored = await getRestoredCopy();
  const state = stored?.copy === copy ? stored.state : 'closed';
  known.set(copy, { state, at: now() });
  return state;
};

/** What callers and operators read while it is not open. */
export const closedMessage = (state: Exclude<RestoreState, 'open'>): string =>
  state === 'closed'
    ? 'This deployment runs on a restored table and is closed: what happened since the backup is not brought back yet, so no credential is accepted and nothing is sent.'
    : 'This deployment runs on a restored table and is not open yet: it can be read, and nothing is written or sent.';
