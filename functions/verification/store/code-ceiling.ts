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

const untilOf = ({ day }: CeilingId): { until: number; ttl: number } => ({ until: (day + 2) * 86_400, ttl: (day + 2) * 86_400 });

export const hourCodesField = (hour: number): `h:${number}` => `h:${hour}`;

const countryCodesField = (country: string): `k:${string}` => `k:${country}`;
const reachedCountryField = (country: string): `r:${string}` => `r:${country}`;

export interface CodesToReserve {
  count: number;
  hour: number;
  perHour: number;
  perDay: number;
  /** The country of the phone, where it has a ceiling. */
  country?: { name: string; perDay: number } | undefined;
}

/** Reserves codes of a profile; fails beyond the ceiling of the hour, of the day or of the country. */
export const reserveCodes = pattern(
  { question: "reserve codes under a profile's ceilings", entity: ceilingEntityName, by: 'UpdateItem', units: '1 WRU for up to 20 codes' },
  (id: CeilingId, { count, hour, perHour, perDay, country }: CodesToReserve): Promise<Written<StoredCeiling>> => {
    const field = hourCodesField(hour);
    const ofCountry = country && countryCodesField(country.name);
    return ceilingEntity.change(
      id,
      {
        add: { [field]: count, codes: count, ...(ofCountry ? { [ofCountry]: count } : {}) },
        set: { ...id, kind: ceilingEntity.name, ...untilOf(id) },
      },
      all(
        any(missing(field), atMost(field, perHour - count)),
        any(missing('codes'), atMost('codes', perDay - count)),
        // a ceiling of 0 allows no first code either
        ...(ofCountry && country.perDay >= count ? [any(missing(ofCountry), atMost(ofCountry, country.perDay - count))] : []),
        ...(ofCountry && country.perDay < count ? [atMost(ofCountry, country.perDay - count)] : []),
      ),
    );
  },
);

/** Remembers that a ceiling was reached, once an hour, and once a day of each country: the event follows from it. */
export const recordCeiling = pattern(
  { question: 'remember that a ceiling was reached', entity: ceilingEntityName, by: 'UpdateItem', units: '1 WRU' },
  async (id: CeilingId, reached: NonNullable<StoredCeiling['reached']>): Promise<void> => {
    const { country, hour } = reached;
    if (country === undefined)
      await ceilingEntity.change(id, { set: { reached, reachedHour: hour } }, any(missing('reachedHour'), below('reachedHour', hour)));
    else
      await ceilingEntity.change(
        id,
        { set: { ...id, kind: ceilingEntity.name, reached, ...untilOf(id) }, add: { [reachedCountryField(country)]: 1 } },
        missing(reachedCountryField(country)),
      );
  },
);
