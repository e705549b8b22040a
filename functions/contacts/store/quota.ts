import { any, equals, missing } from '../../../shared/table/condition.ts';
import { counterEntity, nextIds } from '../../../shared/table/counter.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { ulid } from '../../../shared/runtime/ids.ts';
import type { QuotaReservations } from '../contract/projections.ts';
import { contactEntityName } from '../contract/stored.ts';
import { getContactsByIds } from './contact.ts';

/**
 * Room in the plan, exact under parallel calls. A call is promised room on the head of the contacts, in the write that takes its ids: the
 * total and all promises together never pass the limit. The fold that counts a contact takes it off its promise in the same write. What a
 * call did not use it gives back; what a dead process held is found out by looking which of its contacts exist.
 */
export interface QuotaReservation {
  /** Ids taken: `granted` from `firstId` on. */
  firstId: number;
  granted: number;
  /** Undefined: the plan has no limit, and nothing is held. */
  name: string | undefined;
  /** Of the plan, for the refusal. */
  used: number;
}

export const reserveQuota = pattern(
  { question: 'room in the plan, with ids for it', entity: 'counter', by: 'UpdateItem', units: '1 WRU; with a limit also 1 RRU' },
  async (companyId: number, wanted: number, limit: number | null, operationId: string, restores?: number): Promise<QuotaReservation> => {
    const name = `${operationId}.${ulid(now()).slice(-8)}`;
    if (limit === null) return { firstId: await nextIds(companyId, contactEntityName, wanted), granted: wanted, name: undefined, used: 0 };
    for (let attempt = 1; attempt <= maxAttempts; attempt++, await pause(attempt)) {
      const head = (await counterEntity.get({ companyId, of: contactEntityName }, { consistent: true })) ?? { ...nothing, companyId };
      const reservations = head.promises ?? {};
      const used = head.total + Object.values(reservations).reduce((sum, { left }) => sum + left, 0);
      const granted = Math.max(0, Math.min(wanted, limit - used));
      if (granted < wanted && (await reconcileAbandoned(companyId, head.rev, reservations, operationId))) continue;
      if (granted === 0) return { firstId: 0, granted, name: undefined, used };
      const first = head.lastId + 1;
      const written = await counterEntity.change(
        { companyId, of: contactEntityName },
        {
          set: {
            companyId,
            of: contactEntityName,
            kind: counterEntity.name,
            promises: { ...reservations, [name]: { left: granted, first, count: granted, back: 0, at: now(), restores } },
          },
          add: { lastId: granted, rev: 1 },
        },
        // ids given meanwhile to calls without a limit do not move `rev`, so the last id is part of the condition
        isSame(head.rev, head.lastId),
      );
      if (written.done) return { firstId: first, granted, name: name, used };
    }
    throw new QuotaConflict();
  },
);

/** Gives back what was promised and not used. */
export const releaseQuota = pattern(
  { question: 'give back room of the plan', entity: 'counter', by: 'UpdateItem', units: '1 WRU, 1 RRU' },
  async (companyId: number, name: string, unused: number): Promise<void> => {
    for (let attempt = 1; attempt <= maxAttempts; attempt++, await pause(attempt)) {
      const head = await counterEntity.get({ companyId, of: contactEntityName }, { consistent: true });
      const reservation = head?.promises?.[name];
      if (head === undefined || reservation === undefined) return;
      const reservations = {
        ...head.promises,
        [name]: { ...reservation, left: reservation.left - unused, back: reservation.back + unused },
      };
      if (await updateReservations(companyId, head.rev, reservations)) return;
    }
    throw new QuotaConflict();
  },
);

/**
 * Promises of processes that must be dead (no function runs that long; or the operation is just being repeated): of the ids they came with,
 * those that exist are counted or will be, the others never come. Who was to be restored came back if the contact says so. True when the
 * head changed, or was changed by somebody else meanwhile.
 */
async function reconcileAbandoned(companyId: number, rev: number, reservations: QuotaReservations, operationId: string): Promise<boolean> {
  const abandoned = Object.entries(reservations).filter(
    ([name, { at }]) => at < now() - abandonedAfterMs || name.startsWith(`${operationId}.`),
  );
  if (abandoned.length === 0) return false;
  const reconciled: Record<string, QuotaReservations[string]> = { ...reservations };
  for (const [name, reservation] of abandoned) {
    const ids =
      reservation.restores === undefined
        ? Array.from({ length: reservation.count }, (_, nth) => reservation.first + nth)
        : [reservation.restores];
    const found = await getContactsByIds(companyId, ids, { consistent: true });
    const written = found.filter((contact) => reservation.restores === undefined || contact.reservation === name).length;
    const counted = reservation.count - reservation.back - reservation.left;
    reconciled[name] = { ...reservation, left: Math.max(0, written - counted), at: now() };
  }
  await updateReservations(companyId, rev, reconciled);
  return Object.entries(reconciled).some(([name, { left }]) => left !== reservations[name]?.left);
}

async function updateReservations(companyId: number, rev: number, reservations: QuotaReservations): Promise<boolean> {
  const open = Object.fromEntries(Object.entries(reservations).filter(([, { left }]) => left > 0));
  const written = await counterEntity.change(
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
const abandonedAfterMs = 90_000;
const maxAttempts = 40;

/** The stack answers it with 503 and Retry-After. */
class QuotaConflict extends Error {
  override name = 'TransactionConflict';
}

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(100, 5 * 2 ** attempt)));
