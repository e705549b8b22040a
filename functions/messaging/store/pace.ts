import * as z from 'zod';
import { all, any, atLeast, atMost, below, exists, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

/** A number's next free send slot, epoch microseconds: at 80 messages a second there is a slot every 12,500. */
const paceEntity = entity({
  name: 'pace',
  purpose: 'The next free send slot of a business number',
  attributes: z.object({
    companyId: z.int(),
    numberId: z.int(),
    next: z.int(),
    /** Until when turns were given to messages that found no slot, epoch microseconds. */
    lineEnd: z.int().optional(),
    /** The company is suspended: no slot is given. */
    isSuspended: z.literal(true).optional(),
  }),
  key: ({ companyId, numberId }: { companyId: number; numberId: number }) => ({ pk: `${tenant(companyId)}#PACE#${numberId}`, sk: 'PACE' }),
  idOf: ({ companyId, numberId }) => ({ companyId, numberId }),
  example: { pk: 'C#<company>#PACE#<number>', sk: 'PACE' },
});

export interface SlotReservation {
  companyId: number;
  numberId: number;
  /** Epoch microseconds. */
  at: number;
  /** The latest start of the reservation. */
  until: number;
  /** The length of the reservation. */
  length: number;
}

/** `first`: the start of the reservation. Refused: the next free slot, undefined when none was reserved yet. */
export type SlotReservationResult = { done: true; first: number } | { done: false; next: number | undefined; isSuspended: boolean };

/** Behind other reservations: this one begins where they end. */
export const reserveSlotsAfterOthers = pattern(
  { question: 'the next free slots of a busy number', entity: 'pace', by: 'UpdateItem', units: '1 WRU a reservation' },
  async ({ companyId, numberId, at, until, length }: SlotReservation): Promise<SlotReservationResult> => {
    const written = await paceEntity.change(
      { companyId, numberId },
      { add: { next: length } },
      all(atLeast('next', at), atMost('next', until), missing('isSuspended')),
    );
    return written.done ? { done: true, first: written.item.next - length } : refused(written.current);
  },
);

/** The number is idle: the reservation begins now. */
export const reserveSlotsNow = pattern(
  { question: 'slots of an idle number', entity: 'pace', by: 'UpdateItem', units: '1 WRU a reservation' },
  async ({ companyId, numberId, at, length }: SlotReservation): Promise<SlotReservationResult> => {
    const written = await paceEntity.change(
      { companyId, numberId },
      { set: { companyId, numberId, next: at + length, kind: paceEntity.name } },
      any(missing(), all(below('next', at), missing('isSuspended'))),
    );
    return written.done ? { done: true, first: at } : refused(written.current);
  },
);

export interface TurnRequest {
  companyId: number;
  numberId: number;
  /** The first turn of an empty line, epoch microseconds. */
  at: number;
  /** Of all turns together. */
  length: number;
}

/** The first of consecutive turns in the line of a number, epoch microseconds; undefined: others came between. */
export const joinLine = pattern(
  { question: 'turns of messages that found no slot', entity: 'pace', by: 'UpdateItem', units: '1 WRU for those of a batch' },
  async ({ companyId, numberId, at, length }: TurnRequest): Promise<number | undefined> => {
    const joined = await paceEntity.change({ companyId, numberId }, { add: { lineEnd: length } }, atLeast('lineEnd', at));
    if (joined.done) return (joined.item.lineEnd ?? 0) - length;
    const isEmpty = any(missing('lineEnd'), below('lineEnd', at));
    const began = await paceEntity.change({ companyId, numberId }, { set: { lineEnd: at + length } }, all(exists('next'), isEmpty));
    return began.done ? at : undefined;
  },
);

const refused = (current: { next: number; isSuspended?: true | undefined } | undefined): SlotReservationResult => ({
  done: false,
  next: current?.next,
  isSuspended: current?.isSuspended === true,
});

/** While the company is suspended, no slot of its numbers is given, at any priority. */
export const updateNumberSuspension = pattern(
  { question: 'whether a number gives send slots', entity: 'pace', by: 'UpdateItem', units: '1 WRU' },
  async (companyId: number, numberId: number, isSuspended: true | undefined): Promise<void> => {
    await paceEntity.change(
      { companyId, numberId },
      { set: { companyId, numberId, kind: paceEntity.name, isSuspended }, setOnce: { next: 0 } },
    );
  },
);

/** The provider limits messages to one recipient (error 131056): none is sent before this time. */
const recipientHoldEntity = entity({
  name: 'recipient-hold',
  purpose: 'Until when nothing is sent to a recipient, because the provider limits messages to them',
  attributes: z.object({ companyId: z.int(), phone: z.string(), until: z.int() }),
  key: ({ companyId, phone }: { companyId: number; phone: string }) => ({ pk: `${tenant(companyId)}#HOLD#${phone}`, sk: 'HOLD' }),
  idOf: ({ companyId, phone }) => ({ companyId, phone }),
  expiresAt: ({ until }) => Math.floor(until / 1_000) + 60,
  personalData: 'phone',
  example: { pk: 'C#<company>#HOLD#<phone>', sk: 'HOLD' },
});

export const putRecipientHold = pattern(
  { question: 'sends to a recipient are held for a while', entity: 'recipient-hold', by: 'PutItem', units: '1 WRU' },
  async (companyId: number, phone: string, until: number): Promise<void> => {
    await recipientHoldEntity.put({ companyId, phone, until }, any(missing(), below('until', until)));
  },
);

export const getRecipientHold = pattern(
  {
    question: 'until when sends to a recipient are held',
    entity: 'recipient-hold',
    by: 'GetItem',
    units: '0.5 RRU, twice as much where consistent',
  },
  async (companyId: number, phone: string, options: { consistent?: boolean } = {}): Promise<number | undefined> =>
    (await recipientHoldEntity.get({ companyId, phone }, options))?.until,
);

export const deleteRecipientHold = pattern(
  { question: 'remove the hold of an erased recipient', entity: 'recipient-hold', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, phone: string): Promise<void> => {
    await recipientHoldEntity.delete({ companyId, phone });
  },
);
