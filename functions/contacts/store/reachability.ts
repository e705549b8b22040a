import * as z from 'zod';
import { all, any, below, equals, missing, type CounterField } from '../../../shared/table/condition.ts';
import { getSoon } from '../../../shared/table/batch-get.ts';
import { entity } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';
import { reachabilityEntityName, storedReachability } from '../contract/phone-check.ts';
import type { Reachability } from '../contract/phone-check.ts';
import { liveChecks } from '../domain/reachability.ts';
import { canonicalPhone } from '../contract/phone.ts';

export const reachabilityEntity = entity({
  name: reachabilityEntityName,
  purpose: 'Evidence from messages whether a phone is on WhatsApp',
  attributes: storedReachability,
  key: ({ companyId, phone }: { companyId: number; phone: string }) => ({
    pk: `${tenant(companyId)}#ID#phone:${canonicalPhone(phone)}`,
    sk: 'REACH',
  }),
  idOf: ({ companyId, phone }) => ({ companyId, phone }),
  // longer than any verdict is valid; removes phones that no longer get messages
  expiresAt: ({ seenAt = 0, missedLastAt = 0, checkedAt = 0 }) =>
    Math.floor((Math.max(seenAt, missedLastAt, checkedAt) + 90 * dayMs) / 1_000),
  personalData: 'phone, and whether it is on WhatsApp',
  example: { pk: 'C#<company>#ID#phone:<phone>', sk: 'REACH' },
});

export const getReachability = pattern(
  { question: 'is this phone on WhatsApp', entity: 'reachability', by: 'GetItem', units: '0.5 RRU, 1 consistently' },
  (companyId: number, phone: string, options: { consistent?: boolean } = {}): Promise<Reachability | undefined> =>
    reachabilityEntity.get({ companyId, phone }, options),
);

/** The same for several phones within a moment. */
export const getReachabilityTogether = pattern(
  { question: 'are these phones on WhatsApp, consistently', entity: 'reachability', by: 'BatchGetItem', units: '1 RRU each' },
  (companyId: number, phone: string): Promise<Reachability | undefined> => readSoon(reachabilityEntity.getting({ companyId, phone })),
);
const readSoon = getSoon<Reachability>({ consistent: true });

export const deleteReachability = pattern(
  { question: 'remove the evidence about a phone', entity: 'reachability', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, phone: string): Promise<void> => {
    await reachabilityEntity.delete({ companyId, phone });
  },
);

/** Writes the evidence of a phone, if it is unchanged since it was read. */
export const updateReachability = pattern(
  { question: 'add evidence about a phone', entity: 'reachability', by: 'PutItem', units: '1 WRU' },
  async (before: Reachability | undefined, after: Reachability): Promise<'done' | 'changed'> =>
    (await reachabilityEntity.put(successor(after), unchangedSince(before))).done ? 'done' : 'changed',
);

/** The number of live checks of a company in this minute and this day (UTC). */
export const phoneQuotaEntity = entity({
  name: 'phone-check-quota',
  purpose: 'Live phone checks of a company: this day, and each minute of it',
  attributes: z.looseObject({ companyId: z.int(), day: z.int(), used: z.int() }),
  key: ({ companyId, day }: { companyId: number; day: number }) => ({ pk: `${tenant(companyId)}#LIMIT`, sk: `check_phone#${day}` }),
  idOf: ({ companyId, day }) => ({ companyId, day }),
  expiresAt: ({ day }) => ((day + 2) * dayMs) / 1_000,
  example: { pk: 'C#<company>#LIMIT', sk: 'check_phone#<day>' },
});

const minuteField = (at: number): CounterField => `m:${Math.floor(at / minuteMs)}`;

/** Counts and starts a live check in one transaction, so that a call that loses the race for a phone uses no quota. */
export const reserveCheck = pattern(
  { question: 'begin a live check of a phone, within the quota', entity: 'reachability', by: 'TransactWriteItems', units: '4 WRU' },
  async (before: Reachability | undefined, after: Reachability, at: number): Promise<'done' | 'changed' | 'minute' | 'day'> => {
    const { companyId } = after;
    const [day, minute] = [Math.floor(at / dayMs), minuteField(at)];
    const id = { companyId, day };
    const committed = await commit({
      quota: phoneQuotaEntity.changing(
        id,
        {
          add: { used: 1, [minute]: 1 },
          set: { companyId, day, kind: phoneQuotaEntity.name, ttl: ((day + 2) * dayMs) / 1_000 },
          // without this, the attributes of past minutes would grow the item to 20 KB within a day
          remove: [1, 2, 3].map((back) => minuteField(at - back * minuteMs)),
        },
        all(any(missing('used'), below('used', liveChecks.perDay)), any(missing(minute), below(minute, liveChecks.perMinute))),
      ),
      reachability: reachabilityEntity.putting(successor(after), unchangedSince(before)),
    });
    if (committed.done) return 'done';
    const { quota } = committed.refused;
    if (quota === undefined) return 'changed';
    return (quota.current?.used ?? 0) >= liveChecks.perDay ? 'day' : 'minute';
  },
);

const successor = (row: Reachability) => ({ ...row, rev: row.rev + 1 });

const unchangedSince = (before: Reachability | undefined) => (before ? equals('rev', before.rev) : missing());
