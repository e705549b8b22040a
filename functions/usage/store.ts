import { entity } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { tenant } from '../../shared/table/schema.ts';
import { storedUsagePart, type StoredUsagePart, type UsageDayId, usagePartEntityName } from './contract/stored.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#USAGE`;

export const usagePartEntity = entity({
  name: usagePartEntityName,
  purpose: 'What some shards of the change stream counted of a day: messages and verifications of a company',
  attributes: storedUsagePart,
  key: ({ companyId, day, part }: UsageDayId & { part: number }) => ({ pk: partition(companyId), sk: `${day}#${part}` }),
  idOf: ({ companyId, day, part }) => ({ companyId, day, part }),
  example: { pk: 'C#<company>#USAGE', sk: '<day>#<part>' },
});

export const listUsageParts = pattern(
  {
    question: 'what was used on each day of a range',
    entity: usagePartEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB (about 10 parts; a day has as many as there are shards, up to 16)',
  },
  (companyId: number, firstDay: string, lastDay: string): Promise<StoredUsagePart[]> =>
    usagePartEntity.collect({ pk: partition(companyId), between: [`${firstDay}#`, `${lastDay}#~`] }),
);
