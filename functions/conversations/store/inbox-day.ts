import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { type InboxDayId, inboxDayEntityName, storedInboxDay, type StoredInboxDay } from '../contract/report.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#CVD`;

export const inboxDayEntity = entity({
  name: inboxDayEntityName,
  purpose: 'What some shards of the change stream counted of a day of the inbox: how long contacts waited, and who answered',
  attributes: storedInboxDay,
  key: ({ companyId, day, part }: InboxDayId & { part: number }) => ({ pk: partition(companyId), sk: `${day}#${part}` }),
  idOf: ({ companyId, day, part }) => ({ companyId, day, part }),
  example: { pk: 'C#<company>#CVD', sk: '<day>#<part>' },
});

export const listInboxDays = pattern(
  {
    question: 'how quickly contacts were answered on each day of a range',
    entity: inboxDayEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB (about 5 parts; a day has as many as there are shards, up to 16)',
  },
  (companyId: number, firstDay: string, lastDay: string): Promise<StoredInboxDay[]> =>
    inboxDayEntity.collect({ pk: partition(companyId), between: [`${firstDay}#`, `${lastDay}#~`] }),
);
