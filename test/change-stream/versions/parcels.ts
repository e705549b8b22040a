import * as z from 'zod';
import { context } from '../../../shared/contract/context.ts';
import { queue } from '../../../shared/contract/queue.ts';
import { sendsTo, usesTable } from '../../../shared/contract/resource.ts';
import { dueWork, type DueWork } from '../../../shared/events/due.ts';
import { addToCounter, message, type Reaction, reaction, reactionList } from '../../../shared/events/react.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import type { Version } from './version.ts';

/**
 * A context in two versions. Both pack parcels. The old one also reminds of them by due work that the new one has dropped, with the kind of item and the
 * message of it. The new one weighs them by a new field and a new message, and prints labels, a new kind of item that expires by new due work.
 */
const parcel = z.object({ companyId: z.int(), id: z.int(), rev: z.int(), state: z.string(), touched: z.int(), createdAt: z.int() });
interface Id {
  companyId: number;
  id: number;
}
const keyOf =
  (kind: string) =>
  ({ companyId, id }: Id) => ({ pk: `C#${companyId}#${kind}`, sk: String(id) });
const idOf = ({ companyId, id }: Id): Id => ({ companyId, id });
const example = { pk: 'C#<company>#<kind>', sk: '<id>' };

export const oldParcels = entity({ name: 'parcel', purpose: 'A fixture', attributes: parcel, key: keyOf('PARCEL'), idOf, example });
export const newParcels = entity({
  name: 'parcel',
  purpose: 'A fixture',
  attributes: parcel.extend({ weight: z.int().optional(), weighedAt: z.int().optional() }),
  key: keyOf('PARCEL'),
  idOf,
  example,
});

const withDueTime = <const Name extends string>(name: Name) =>
  entity({
    name,
    purpose: 'A fixture',
    attributes: z.object({
      companyId: z.int(),
      id: z.int(),
      createdAt: z.int(),
      dueAt: z.int(),
      doneAt: z.int().optional(),
      printedAt: z.int().optional(),
    }),
    key: keyOf(name),
    idOf,
    indexedBy: ['companyId', 'id', 'dueAt', 'doneAt'],
    indexes: ({ companyId, id, dueAt, doneAt }) => ({
      due: doneAt === undefined ? dueKeys(dueAt, name, `${companyId}:${id}`) : undefined,
    }),
    example,
  });
/** Known to the old version alone. */
export const reminders = withDueTime('reminder');
/** Known to the new version alone. */
export const labels = withDueTime('label');

const referTo = { companyId: z.int(), id: z.int() };
const moves = {
  name: 'parcel-moves',
  purpose: 'What happens to parcels',
  workSeconds: 20,
  maxReceives: 5,
} as const;
export const oldMoves = queue({ ...moves, message: z.object({ ...referTo, move: z.enum(['pack', 'remind']) }) });
export const newMoves = queue({
  ...moves,
  message: z.object({ ...referTo, move: z.enum(['pack', 'weigh', 'print', 'expire']), urgent: z.boolean().optional() }),
});

const due = <M extends 'remind' | 'expire'>(name: string, move: M, to: typeof oldMoves | typeof newMoves): DueWork =>
  dueWork({
    name,
    purpose: 'A fixture',
    queue: to as typeof newMoves,
    companyOf: (reference) => Number(reference.split(':')[0]),
    message: (reference) => {
      const [companyId, id] = reference.split(':').map(Number);
      return { companyId: companyId ?? 0, id: id ?? 0, move: move as 'expire' };
    },
  });

const counted = <Item extends Id>(of: { name: string; parse: (raw: unknown) => Item }) =>
  reaction(of, ({ before, after }) => (after && !before ? [addToCounter(after.companyId, of.name, 1)] : []));

const oldReactions = reactionList({ sendsTo: [oldMoves] }, [
  reaction(oldParcels, ({ before, after }) =>
    after && !before ? [message(oldMoves, after.companyId, { ...idOf(after), move: 'pack' })] : [],
  ),
  counted(oldParcels),
  counted(reminders),
]);
const newReactions = reactionList({ sendsTo: [newMoves] }, [
  reaction(newParcels, ({ before, after }) =>
    after && !before
      ? [
          message(newMoves, after.companyId, { ...idOf(after), move: 'pack', urgent: true }),
          ...(after.weight === undefined ? [] : [message(newMoves, after.companyId, { ...idOf(after), move: 'weigh' })]),
        ]
      : [],
  ),
  counted(newParcels),
  reaction(labels, ({ before, after }) =>
    after && !before ? [message(newMoves, after.companyId, { ...idOf(after), move: 'print' })] : [],
  ),
  counted(labels),
]);

/** What the generated registries would have of it. */
export const registries: Readonly<Record<Version, { reactions: readonly Reaction[]; due: readonly DueWork[]; kinds: readonly string[] }>> =
  {
    old: { reactions: oldReactions, due: [due('reminder', 'remind', oldMoves)], kinds: ['parcel', 'reminder'] },
    new: { reactions: newReactions, due: [due('label', 'expire', newMoves)], kinds: ['parcel', 'label'] },
  };

const entry = 'test/change-stream/versions/parcels-functions.ts';
const uses = [usesTable('GetItem', 'PutItem', 'UpdateItem')];
/** With the functions and permissions of both. */
export const parcelsContext = context({
  name: 'parcels',
  purpose: 'A fixture',
  functions: [
    { name: 'parcels-http', entry, trigger: 'http', routes: {}, fallback: true, uses },
    {
      name: 'parcel-moves-worker',
      entry,
      trigger: 'queue',
      queue: newMoves,
      batchSize: 10,
      maxConcurrency: 2,
      uses: [...uses, sendsTo(newMoves)],
    },
  ],
  reactions: [...oldReactions, ...newReactions],
  due: [...registries.old.due, ...registries.new.due],
});

export type Dated = ItemOf<typeof labels>;
