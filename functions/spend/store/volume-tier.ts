import { equals, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { storedVolumeTiers, type StoredVolumeTiers, volumeTiersEntityName } from '../contract/volume-tier.ts';

export const volumeTiersEntity = entity({
  name: volumeTiersEntityName,
  purpose: 'The volume tiers of a month that the provider has posted for the business accounts of a company',
  attributes: storedVolumeTiers,
  key: ({ companyId, month }: { companyId: number; month: string }) => ({ pk: `${tenant(companyId)}#TIERS`, sk: month }),
  idOf: ({ companyId, month }) => ({ companyId, month }),
  example: { pk: 'C#<company>#TIERS', sk: '<month>' },
});

export const getVolumeTiers = pattern(
  { question: 'the volume tiers of a month', entity: volumeTiersEntityName, by: 'GetItem', units: '0.5 RRU per 4 KB, 1 consistent' },
  (companyId: number, month: string, options: { consistent?: boolean } = {}): Promise<StoredVolumeTiers | undefined> =>
    volumeTiersEntity.get({ companyId, month }, options),
);

export const putVolumeTiers = pattern(
  {
    question: 'the tiers of a month with another one, if they are as they were read',
    entity: volumeTiersEntityName,
    by: 'PutItem',
    units: '1 WRU',
  },
  (tiers: StoredVolumeTiers): Promise<Written<StoredVolumeTiers>> =>
    volumeTiersEntity.put(tiers, tiers.rev === 1 ? missing() : equals('rev', tiers.rev - 1)),
);
