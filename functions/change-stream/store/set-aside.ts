import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { dayMs } from '../../../shared/runtime/clock.ts';
import * as z from 'zod';
import { exists, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { setAsideChangeName } from '../contract.ts';

const setAsideTtlMs = 14 * dayMs;

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
    /** A long record, deflated, in base64. */
    packed: z.string().optional(),
    /** The parts of it that are to be done; missing: all. */
    left: z.array(z.string()).optional(),
    at: z.int(),
    retriedAt: z.int().optional(),
  }),
  personalData: 'images of the changed item, before and after',
  key: ({ eventId }: { eventId: string }) => ({ pk: 'SET_ASIDE', sk: eventId }),
  idOf: ({ eventId }) => ({ eventId }),
  expiresAt: ({ at }) => Math.floor((at + setAsideTtlMs) / 1_000),
  example: { pk: 'SET_ASIDE', sk: '<event id>' },
});
type Stored = ItemOf<typeof setAsideEntity>;
export type SetAsideChange = Omit<Stored, 'packed'>;

/** Two images of an item of 300 KB are larger than an item, and have most of their text twice. */
const maxBytes = 270_000;
const isShort = (text: string): boolean => Buffer.byteLength(text) <= maxBytes;

const toStored = ({ record, ...change }: SetAsideChange): Stored => {
  if (record === undefined || isShort(record)) return { ...change, ...(record === undefined ? {} : { record }) };
  const packed = deflateRawSync(record).toString('base64');
  return { ...change, ...(isShort(packed) ? { packed } : {}) };
};

const fromStored = ({ packed, ...change }: Stored): SetAsideChange =>
  packed === undefined ? change : { ...change, record: inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8') };

export const parseSetAside = (raw: unknown): SetAsideChange => fromStored(setAsideEntity.parse(raw));

/** The same change set aside once more is the same item. */
export const putSetAside = pattern(
  { question: 'a change could not be carried out', entity: setAsideChangeName, by: 'PutItem', units: '1 WRU a KB of the change' },
  async (change: SetAsideChange): Promise<void> => void (await setAsideEntity.put(toStored(change))),
);

/** A change that the stream lost is to be carried out. False: it was requested before. */
export const createReplay = pattern(
  { question: 'a change that the stream lost', entity: setAsideChangeName, by: 'PutItem', units: '1 WRU a KB of the item' },
  async (change: SetAsideChange): Promise<boolean> => (await setAsideEntity.put(toStored(change), missing())).done,
);

/** It stays without its record, so that a repetition of the replay finds it done. */
export const finishReplay = pattern(
  {
    question: 'a change that the stream lost is carried out',
    entity: setAsideChangeName,
    by: 'UpdateItem',
    units: '1 WRU a KB of the item',
  },
  async (eventId: string): Promise<void> =>
    void (await setAsideEntity.change({ eventId }, { set: { left: [] }, remove: ['record', 'packed'] }, exists())),
);

export const listSetAside = pattern(
  { question: 'the changes that could not be carried out', entity: setAsideChangeName, by: 'Query', units: '0.5 RRU a 4 KB' },
  async (): Promise<SetAsideChange[]> =>
    (await setAsideEntity.collect({ pk: 'SET_ASIDE' })).filter(({ left }) => left === undefined || left.length > 0).map(fromStored),
);

/** The stream consumer receives this change and carries out the one inside. False: there is no such change. */
export const requestRetry = pattern(
  { question: 'a change is to be carried out again', entity: setAsideChangeName, by: 'UpdateItem', units: '1 WRU a KB of the change' },
  async (eventId: string, retriedAt: number): Promise<boolean> =>
    (await setAsideEntity.change({ eventId }, { set: { retriedAt } }, exists())).done,
);

export const updateLeft = pattern(
  { question: 'less of a change is left', entity: setAsideChangeName, by: 'UpdateItem', units: '1 WRU a KB of the change' },
  async (eventId: string, left: readonly string[]): Promise<void> =>
    void (await setAsideEntity.change({ eventId }, { set: { left: [...left] } }, exists())),
);

export const deleteSetAside = pattern(
  { question: 'a change was carried out after all', entity: setAsideChangeName, by: 'DeleteItem', units: '1 WRU a KB of the change' },
  async (eventId: string): Promise<void> => void (await setAsideEntity.delete({ eventId })),
);
