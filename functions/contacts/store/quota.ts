import { all, any, equals, missing } from '../../../shared/table/condition.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { counterEntity, nextIds } from '../../../shared/table/counter.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { ulid } from '../../../shared/runtime/ids.ts';
import type { QuotaReservations } from '../contract/projections.ts';
import { contactEntityName } from '../contract/stored.ts';
import { getContactsByIds } from './contact.ts';

/**
 * Plan quota, exact under parallel calls. A call reserves quota on the contacts counter in the same write that assigns its ids; the total
 * and all reservations never exceed the limit. The projection that counts a contact reduces its reservation in the same write. A call
 * releases what it did not use; for a crashed call, a later one checks which of its contacts exist.
 * See docs/decisions/plan-quotas.md.
 */
export interface QuotaReservation {
  /** The first of the `granted` assigned ids. */
  firstId: number;
  granted: number;
  /** Undefined: the plan has no limit, and nothing is reserved. */
  name: string | undefined;
  /** Quota in use, for the error message. */
  used: number;
}

export const reserveQuota = pattern(
  { question: 'reserve plan quota, with ids', entity: 'counter', by: 'UpdateItem', units: '1 WRU; with a limit also 1 RRU' },
  async (companyId: number, wanted: number, limit: number | null, operationId: string, restores?: number): Promise<QuotaReservation> => {
    const name = `${operationId}.${ulid(now()).slice(-8)}`;
    if (limit === null) return { firstId: await nextIds(companyId, contactEntityName, wanted), granted: wanted, name: undefined, used: 0 };
    return retryOnConflict(maxAttempts, async () => {
      const counter = (await counterEntity.get({ companyId, of: contactEntityName }, { consistent: true })) ?? { ...nothing, companyId };
      const reservations = counter.promises ?? {};
      const used = counter.total + Object.values(reservations).reduce((sum, { left }) => sum + left, 0);
      const granted = Math.max(0, Math.min(wanted, limit - used));
      if (granted < wanted && (await reconcileAbandoned(companyId, counter.rev, reservations, operationId))) return conflict;
      if (granted === 0) return { firstId: 0, granted, name: undefined, used };
      const first = counter.lastId + 1;
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
        // assigning ids without a limit does not change `rev`, so the last id is part of the condition
        isSame(counter.rev, counter.lastId),
      );
      return written.done ? { firstId: first, granted, name, used } : conflict;
    });
  },
);

/** Releases reserved quota that was not used. */
export const releaseQuota = pattern(
  { question: 'release plan quota', entity: 'counter', by: 'UpdateItem', units: '1 WRU, 1 RRU' },
  async (companyId: number, name: string, unused: number): Promise<void> => {
    await retryOnConflict(maxAttempts, async () => {
      const counter = await counterEntity.get({ companyId, of: contactEntityName }, { consistent: true });
      const reservation = counter?.promises?.[name];
      if (counter === undefined || reservation === undefined) return undefined;
      const reservations = {
        ...counter.promises,
        [name]: { ...reservation, left: reservation.left - unused, back: reservation.back + unused },
      };
      return (await updateReservations(companyId, counter.rev, reservations)) ? undefined : conflict;
    });
  },
);

/**
 * Corrects reservations of crashed calls: older than any function can run, or of the operation that is being repeated. Of their ids, existing
 * contacts are counted or will be; the others will never exist. A restored contact names its reservation. True when the counter changed,
 * also when another call changed it.
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

const isSame = (rev: number, lastId: number) =>
  all(
    rev === 0 ? any(equals('rev', 0), missing('rev')) : equals('rev', rev),
    lastId === 0 ? any(equals('lastId', 0), missing('lastId')) : equals('lastId', lastId),
  );

const nothing = { of: contactEntityName, lastId: 0, total: 0, rev: 0, checkpoints: {}, promises: undefined };
const abandonedAfterMs = 90_000;
const maxAttempts = 40;
