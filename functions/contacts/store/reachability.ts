import * as z from 'zod';
import { all, any, below, equals, missing, type CounterField } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';
import { reachabilityEntityName, storedReachability } from '../contract/phone-check.ts';
import { liveChecks, type Reachability } from '../domain/reachability.ts';
import { canonicalPhone } from '../contract/phone.ts';

export const reachabilityEntity = entity({
  name: reachabilityEntityName,
  purpose: 'What messages have shown of a phone: whether it is on WhatsApp',
  attributes: storedReachability,
  key: ({ companyId, phone }: { companyId: number; phone: string }) => ({
    pk: `${tenant(companyId)}#ID#phone:${canonicalPhone(phone)}`,
    sk: 'REACH',
  }),
  idOf: ({ companyId, phone }) => ({ companyId, phone }),
  // beyond the life of every verdict, so that phones that nobody writes to any more do not stay for ever
  expiresAt: ({ seenAt = 0, missedLastAt = 0, checkedAt = 0 }) =>
    Math.floor((Math.max(seenAt, missedLastAt, checkedAt) + 90 * dayMs) / 1_000),
  example: { pk: 'C#<company>#ID#phone:<phone>', sk: 'REACH' },
});

export const getReachability = pattern(
  { question: 'is this phone on WhatsApp', entity: 'reachability', by: 'GetItem', units: '0.5 RRU, 1 consistently' },
  (companyId: number, phone: string, consistent: boolean): Promise<Reachability | undefined> =>
    reachabilityEntity.get({ companyId, phone }, { consistent }),
);

/** Writes what is known of a phone, if nobody wrote it since it was read. */
export const updateReachability = pattern(
  { question: 'more is known of a phone', entity: 'reachability', by: 'PutItem', units: '1 WRU' },
  async (before: Reachability | undefined, after: Reachability): Promise<'done' | 'changed'> =>
    (await reachabilityEntity.put(successor(after), unchangedSince(before))).done ? 'done' : 'changed',
);

/** How many live checks a company made, this minute and this day (UTC). */
const phoneQuotaEntity = entity({
  name: 'phone-check-quota',
  purpose: 'Live phone checks of a company: this day, and each minute of it',
  attributes: z.looseObject({ companyId: z.int(), day: z.int(), used: z.int() }),
  key: ({ companyId, day }: { companyId: number; day: number }) => ({ pk: `${tenant(companyId)}#LIMIT`, sk: `check_phone#${day}` }),
  idOf: ({ companyId, day }) => ({ companyId, day }),
  expiresAt: ({ day }) => ((day + 2) * dayMs) / 1_000,
  example: { pk: 'C#<company>#LIMIT', sk: 'check_phone#<day>' },
});
type PhoneQuota = ItemOf<typeof phoneQuotaEntity>;

const minuteField = (at: number): CounterField => `m:${Math.floor(at / minuteMs)}`;

/** A live check: counted and begun in one transaction, so that whoever loses the race for a phone uses up nothing. */
export const reserveCheck = pattern(
  { question: 'begin a live check of a phone, within the quota', entity: 'reachability', by: 'TransactWriteItems', units: '4 WRU' },
  async (before: Reachability | undefined, after: Reachability, at: number): Promise<'done' | 'changed' | 'minute' | 'day'> => {
    const { companyId } = after;
    const [day, minute] = [Math.floor(at / dayMs), minuteField(at)];
    const id = { companyId, day };
    const committed = await commit([
      phoneQuotaEntity.changing(
        id,
        {
          add: { used: 1, [minute]: 1 },
          set: { companyId, day, kind: phoneQuotaEntity.name, ttl: ((day + 2) * dayMs) / 1_000 },
          // the fields of the minutes before would make the item grow to twenty kilobytes by night
          remove: [1, 2, 3].map((back) => minuteField(at - back * minuteMs)),
        },
        all(any(missing('used'), below('used', liveChecks.perDay)), any(missing(minute), below(minute, liveChecks.perMinute))),
      ),
      reachabilityEntity.putting(successor(after), unchangedSince(before)),
    ]);
    if (committed.done) return 'done';
    const full = committed.refused.find(({ index }) => index === 0);
    if (full === undefined) return 'changed';
    return usedOf(full.current) >= liveChecks.perDay ? 'day' : 'minute';
  },
);

const usedOf = (current: Record<string, unknown> | undefined): PhoneQuota['used'] =>
  current === undefined ? 0 : phoneQuotaEntity.parse(current).used;

const successor = (row: Reachability) => ({ ...row, rev: row.rev + 1 });

const unchangedSince = (before: Reachability | undefined) => (before ? equals('rev', before.rev) : missing());
