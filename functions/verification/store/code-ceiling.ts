import { all, any, atMost, below, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { ceilingEntityName, type StoredCeiling, storedCeiling } from '../contract/stored.ts';

export interface CeilingId {
  companyId: number;
  profileId: string;
  /** Days since 1970. */
  day: number;
}

export const ceilingEntity = entity({
  name: ceilingEntityName,
  purpose: 'Codes that a profile has sent on a day, in total and by hour, and the ceilings that it reached',
  attributes: storedCeiling,
  key: ({ companyId, profileId, day }: CeilingId) => ({ pk: `${tenant(companyId)}#V#${profileId}#CODES`, sk: `DAY#${day}` }),
  idOf: ({ companyId, profileId, day }) => ({ companyId, profileId, day }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<profile>#CODES', sk: 'DAY#<days since 1970>' },
});

export const hourCodesField = (hour: number): `h:${number}` => `h:${hour}`;

/** Reserves codes of a profile; fails beyond the ceiling of the hour or of the day. */
export const reserveCodes = pattern(
  { question: "reserve codes under a profile's ceilings", entity: ceilingEntityName, by: 'UpdateItem', units: '1 WRU for up to 20 codes' },
  (
    id: CeilingId,
    { count, hour, perHour, perDay }: { count: number; hour: number; perHour: number; perDay: number },
  ): Promise<Written<StoredCeiling>> => {
    const field = hourCodesField(hour);
    const until = (id.day + 2) * 86_400;
    return ceilingEntity.change(
      id,
      { add: { [field]: count, codes: count }, set: { ...id, kind: ceilingEntity.name, until, ttl: until } },
      all(any(missing(field), atMost(field, perHour - count)), any(missing('codes'), atMost('codes', perDay - count))),
    );
  },
);

/** Remembers once that a ceiling was reached: the event follows from it. */
export const recordCeiling = pattern(
  { question: 'remember that a ceiling was reached', entity: ceilingEntityName, by: 'UpdateItem', units: '1 WRU' },
  async (id: CeilingId, reached: NonNullable<StoredCeiling['reached']>): Promise<void> => {
    await ceilingEntity.change(
      id,
      { set: { reached, reachedHour: reached.hour } },
      any(missing('reachedHour'), below('reachedHour', reached.hour)),
    );
  },
);
