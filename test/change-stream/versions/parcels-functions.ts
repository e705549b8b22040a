import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { consume } from '../../../shared/queue/consume.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { equals, missing } from '../../../shared/table/condition.ts';
import type { ItemOf } from '../../../shared/table/entity.ts';
import { effects } from './effects.ts';
import { labels, newMoves, newParcels, oldMoves, oldParcels, reminders } from './parcels.ts';
import { versionNow } from './version.ts';

/** The functions of both versions: which of them runs, the deployment says. */

const request = z.object({ act: z.enum(['accept', 'touch']), companyId: z.int(), id: z.int(), dueAt: z.int() });
type Request = z.output<typeof request>;
interface Id {
  companyId: number;
  id: number;
}

export const handler = async (event: unknown): Promise<unknown> => {
  if (!isQueueEvent(event)) return await answer(request.parse(event)), versionNow();
  return versionNow() === 'old'
    ? consume(oldMoves, (each) => (each.move === 'pack' ? pack(each) : finish(reminders, 'remind', each)))(event)
    : consume(newMoves, (each) => newWork[each.move](each))(event);
};

const isQueueEvent = (event: unknown): event is SQSEvent => typeof event === 'object' && event !== null && 'Records' in event;

async function answer({ act, dueAt, ...id }: Request): Promise<void> {
  if (act === 'touch') return touch(id);
  const accepted = { ...id, rev: 0, state: 'new', touched: 0, createdAt: now() };
  const dated = { ...id, createdAt: now(), dueAt };
  if (versionNow() === 'old') {
    await oldParcels.put(accepted, missing());
    await reminders.put(dated, missing());
  } else {
    await newParcels.put({ ...accepted, weight: id.id * 10 }, missing());
    await labels.put(dated, missing());
  }
}

/** Each version by its own schema, as a whole, as the parcel was read. */
async function rewrite(id: Id, changeOf: (seen: Parcel) => Partial<Parcel> | undefined): Promise<boolean> {
  const entity = versionNow() === 'old' ? oldParcels : newParcels;
  const seen = await entity.get(id, { consistent: true });
  const change = seen && changeOf(seen);
  if (!seen || !change) return false;
  if ((await entity.put({ ...seen, ...change, rev: seen.rev + 1 }, equals('rev', seen.rev))).done) return true;
  throw new Error('The parcel was changed meanwhile.');
}
type Parcel = ItemOf<typeof oldParcels>;

async function touch(id: Id): Promise<void> {
  await rewrite(id, ({ touched }) => ({ touched: touched + 1 }));
}

async function pack(id: Id): Promise<void> {
  if (await rewrite(id, ({ state }) => (state === 'new' ? { state: 'packed' } : undefined))) effects.add('pack', id);
}

async function weigh(id: Id): Promise<void> {
  const seen = await newParcels.get(id, { consistent: true });
  if (seen?.weight !== id.id * 10) return effects.fail(`parcel ${id.id} has the weight ${seen?.weight}`);
  if (seen.weighedAt !== undefined) return;
  const change = { set: { weighedAt: now(), rev: seen.rev + 1 } };
  if (!(await newParcels.change(id, change, equals('rev', seen.rev))).done) throw new Error('The parcel was changed meanwhile.');
  effects.add('weigh', id);
}

async function print(id: Id): Promise<void> {
  if ((await labels.change(id, { set: { printedAt: now() } }, missing('printedAt'))).done) effects.add('print', id);
}

async function finish(of: typeof labels | typeof reminders, what: 'remind' | 'expire', id: Id): Promise<void> {
  const seen = await of.get(id, { consistent: true });
  if (!seen || seen.doneAt !== undefined) return;
  if (seen.dueAt > now() + 1_000) return effects.fail(`${what} ${id.id} came before its time`);
  if ((await of.update(seen, { set: { doneAt: now() } }, missing('doneAt'))).done) effects.add(what, id);
}

const newWork = { pack, weigh, print, expire: (id: Id) => finish(labels, 'expire', id) };
