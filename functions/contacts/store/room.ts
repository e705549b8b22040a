import { any, equals, missing } from '../../../shared/table/condition.ts';
import { headEntity, takeIds } from '../../../shared/table/head.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { ulid } from '../../../shared/runtime/ids.ts';
import type { Promises } from '../contract/folded.ts';
import { contactEntityName } from '../contract/stored.ts';
import { findContacts } from './contact.ts';

/**
 * Room in the plan, exact under parallel calls. A call is promised room on the head of the contacts, in the write that takes its ids: the
 * total and all promises together never pass the limit. The fold that counts a contact takes it off its promise in the same write. What a
 * call did not use it gives back; what a dead process held is found out by looking which of its contacts exist.
 */
export interface Room {
  /** Ids taken: `granted` from `firstId` on. */
  firstId: number;
  granted: number;
  /** Undefined: the plan has no limit, and nothing is held. */
  promise: string | undefined;
  /** Of the plan, for the refusal. */
  used: number;
}

export const takeRoom = pattern(
  { question: 'room in the plan, with ids for it', entity: 'counter', by: 'UpdateItem', units: '1 WRU; with a limit also 1 RRU' },
  async (companyId: number, wanted: number, limit: number | null, operationId: string, restores?: number): Promise<Room> => {
    const name = `${operationId}.${ulid(now()).slice(-8)}`;
    if (limit === null)
      return { firstId: await takeIds(companyId, contactEntityName, wanted), granted: wanted, promise: undefined, used: 0 };
    for (let attempt = 1; attempt <= maxAttempts; attempt++, await pause(attempt)) {
      const head = (await headEntity.get({ companyId, of: contactEntityName }, { consistent: true })) ?? { ...nothing, companyId };
      const promises = head.promises ?? {};
      const used = head.total + Object.values(promises).reduce((sum, { left }) => sum + left, 0);
      const granted = Math.max(0, Math.min(wanted, limit - used));
      if (granted < wanted && (await settleDead(companyId, head.rev, promises, operationId))) continue;
      if (granted === 0) return { firstId: 0, granted, promise: undefined, used };
      const first = head.lastId + 1;
      const taken = await headEntity.change(
        { companyId, of: contactEntityName },
        {
          set: {
            companyId,
            of: contactEntityName,
            kind: headEntity.name,
            promises: { ...promises, [name]: { left: granted, first, count: granted, back: 0, at: now(), restores } },
          },
          add: { lastId: granted, rev: 1 },
        },
        // ids given meanwhile to calls without a limit do not move `rev`, so the last id is part of the condition
        isSame(head.rev, head.lastId),
      );
      if (taken.done) return { firstId: first, granted, promise: name, used };
    }
    throw new Crowded();
  },
);

/** Gives back what was promised and not used. */
export const giveBack = pattern(
  { question: 'give back room of the plan', entity: 'counter', by: 'UpdateItem', units: '1 WRU, 1 RRU' },
  async (companyId: number, name: string, unused: number): Promise<void> => {
    for (let attempt = 1; attempt <= maxAttempts; attempt++, await pause(attempt)) {
      const head = await headEntity.get({ companyId, of: contactEntityName }, { consistent: true });
      const promise = head?.promises?.[name];
      if (head === undefined || promise === undefined) return;
      const promises = { ...head.promises, [name]: { ...promise, left: promise.left - unused, back: promise.back + unused } };
      if (await writePromises(companyId, head.rev, promises)) return;
    }
    throw new Crowded();
  },
);

/**
 * Promises of processes that must be dead (no function runs that long; or the operation is just being repeated): of the ids they came with,
 * those that exist are counted or will be, the others never come. Who was to be restored came back if the contact says so. True when the
 * head changed, or was changed by somebody else meanwhile.
 */
async function settleDead(companyId: number, rev: number, promises: Promises, operationId: string): Promise<boolean> {
  const dead = Object.entries(promises).filter(([name, { at }]) => at < now() - deadAfterMs || name.startsWith(`${operationId}.`));
  if (dead.length === 0) return false;
  const settled: Record<string, Promises[string]> = { ...promises };
  for (const [name, promise] of dead) {
    const ids =
      promise.restores === undefined ? Array.from({ length: promise.count }, (_, nth) => promise.first + nth) : [promise.restores];
    const found = await findContacts(companyId, ids, { consistent: true });
    const written = found.filter((contact) => promise.restores === undefined || contact.promise === name).length;
    const counted = promise.count - promise.back - promise.left;
    settled[name] = { ...promise, left: Math.max(0, written - counted), at: now() };
  }
  await writePromises(companyId, rev, settled);
  return Object.entries(settled).some(([name, { left }]) => left !== promises[name]?.left);
}

async function writePromises(companyId: number, rev: number, promises: Promises): Promise<boolean> {
  const open = Object.fromEntries(Object.entries(promises).filter(([, { left }]) => left > 0));
  const written = await headEntity.change(
    { companyId, of: contactEntityName },
    { set: { promises: Object.keys(open).length > 0 ? open : undefined }, add: { rev: 1 } },
    any(equals('rev', rev), ...(rev === 0 ? [missing('rev')] : [])),
  );
  return written.done;
}

const isSame = (rev: number, lastId: number) => ({
  kind: 'and' as const,
  of: [
    rev === 0 ? any(equals('rev', 0), missing('rev')) : equals('rev', rev),
    lastId === 0 ? any(equals('lastId', 0), missing('lastId')) : equals('lastId', lastId),
  ],
});

const nothing = { of: contactEntityName, lastId: 0, total: 0, rev: 0, checkpoints: {}, promises: undefined };
const deadAfterMs = 90_000;
const maxAttempts = 40;

/** The stack answers it with 503 and Retry-After. */
class Crowded extends Error {
  override name = 'TransactionConflict';
}

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(100, 5 * 2 ** attempt)));
