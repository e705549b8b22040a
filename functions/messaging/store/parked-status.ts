import * as z from 'zod';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { parkedStatusEntityName } from '../contract/queue.ts';
import { statusUpdate } from '../contract/provider-update.ts';

const storedParkedStatus = z.object({
  companyId: z.int(),
  wamid: z.string(),
  status: z.string(),
  update: statusUpdate,
  parkedAt: z.int(),
  tries: z.int(),
  dueAt: z.int(),
});
export type ParkedStatus = z.output<typeof storedParkedStatus>;

const partition = (companyId: number, wamid: string): string => `${tenant(companyId)}#PARK#${wamid}`;

/** Statuses whose message is not known yet; tried for seven days. */
const parkedStatusEntity = entity({
  name: parkedStatusEntityName,
  purpose: 'A status that came before its message was known',
  attributes: storedParkedStatus,
  key: ({ companyId, wamid, status }: { companyId: number; wamid: string; status: string }) => ({
    pk: partition(companyId, wamid),
    sk: status,
  }),
  idOf: ({ companyId, wamid, status }) => ({ companyId, wamid, status }),
  indexedBy: ['companyId', 'wamid', 'status', 'dueAt'],
  indexes: ({ companyId, wamid, status, dueAt }) => ({ due: dueKeys(dueAt, parkedStatusEntityName, `${companyId}:${status}:${wamid}`) }),
  expiresAt: ({ parkedAt }) => Math.floor(parkedAt / 1_000) + 8 * 86_400,
  personalData: 'phone',
  example: { pk: 'C#<company>#PARK#<wamid>', sk: '<status>' },
});

export const putParkedStatus = pattern(
  { question: 'a status waits for its message', entity: 'parked-status', by: 'PutItem', units: '2 WRU' },
  async (parked: ParkedStatus): Promise<void> => {
    await parkedStatusEntity.put(parked);
  },
);

export const getParkedStatus = pattern(
  { question: 'a waiting status', entity: 'parked-status', by: 'GetItem', units: '1 RRU' },
  async (companyId: number, wamid: string, status: string): Promise<ParkedStatus | undefined> =>
    parkedStatusEntity.get({ companyId, wamid, status }, { consistent: true }),
);

export const deleteParkedStatus = pattern(
  { question: 'a waiting status is done', entity: 'parked-status', by: 'DeleteItem', units: '2 WRU' },
  async (companyId: number, wamid: string, status: string): Promise<void> => {
    await parkedStatusEntity.delete({ companyId, wamid, status });
  },
);

export const listParkedStatuses = pattern(
  { question: 'the statuses that wait for a message', entity: 'parked-status', by: 'Query', units: '1 RRU' },
  (companyId: number, wamid: string): Promise<ParkedStatus[]> =>
    parkedStatusEntity.collect({ pk: partition(companyId, wamid), consistent: true }),
);
