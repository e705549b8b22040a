import * as z from 'zod';
import { exists } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { setAsideChangeName } from '../contract.ts';

const setAsideTtlMs = 14 * 24 * 3_600_000;

export const setAsideEntity = entity({
  name: setAsideChangeName,
  purpose: 'A stored change that no reaction could carry out, until the operator has it tried again',
  attributes: z.object({
    eventId: z.string(),
    /** The kind of item that changed. */
    of: z.string(),
    error: z.string(),
    /** The stream's record in JSON; missing where it is larger than an item can be. */
    record: z.string().optional(),
    at: z.int(),
    retriedAt: z.int().optional(),
  }),
  personalData: 'images of the changed item, before and after',
  key: ({ eventId }: { eventId: string }) => ({ pk: 'SET_ASIDE', sk: eventId }),
  idOf: ({ eventId }) => ({ eventId }),
  expiresAt: ({ at }) => Math.floor((at + setAsideTtlMs) / 1_000),
  example: { pk: 'SET_ASIDE', sk: '<event id>' },
});
export type SetAsideChange = ItemOf<typeof setAsideEntity>;

/** The same change set aside once more is the same item. */
export const putSetAside = pattern(
  { question: 'a change could not be carried out', entity: setAsideChangeName, by: 'PutItem', units: '1 WRU a KB of the change' },
  async (change: SetAsideChange): Promise<void> => void (await setAsideEntity.put(change)),
);

export const listSetAside = pattern(
  { question: 'the changes that could not be carried out', entity: setAsideChangeName, by: 'Query', units: '0.5 RRU a 4 KB' },
  (): Promise<SetAsideChange[]> => setAsideEntity.collect({ pk: 'SET_ASIDE' }),
);

/** The stream consumer receives this change and carries out the one inside. False: there is no such change. */
export const requestRetry = pattern(
  { question: 'a change is to be carried out again', entity: setAsideChangeName, by: 'UpdateItem', units: '1 WRU a KB of the change' },
  async (eventId: string, retriedAt: number): Promise<boolean> =>
    (await setAsideEntity.change({ eventId }, { set: { retriedAt } }, exists())).done,
);

export const deleteSetAside = pattern(
  { question: 'a change was carried out after all', entity: setAsideChangeName, by: 'DeleteItem', units: '1 WRU a KB of the change' },
  async (eventId: string): Promise<void> => void (await setAsideEntity.delete({ eventId })),
);
