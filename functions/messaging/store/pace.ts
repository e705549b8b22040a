import * as z from 'zod';
import { all, any, atLeast, atMost, below, equals, exists, missing, unchanged } from '../../../shared/table/condition.ts';
import { type ChangeOf, entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import type { AllowanceState, SlotSpend } from '../domain/allowance.ts';
import { allowanceField, budgetField } from '../domain/allowance.ts';

/** A number's next free send slot, epoch microseconds: at 80 messages a second there is a slot every 12,500. */
const paceEntity = entity({
  name: 'pace',
  purpose: 'The next free send slot of a business number, and what it may spend',
  attributes: z.looseObject({
    companyId: z.int(),
    numberId: z.int(),
    next: z.int(),
    /** Until when turns were given to messages that found no slot, epoch microseconds. */
    lineEnd: z.int().optional(),
    /** The company is suspended: no slot is given. */
    isSuspended: z.literal(true).optional(),
    /** What the allowances are of: another day, or ceilings that began anew, make them void. */
    spendPeriod: z.string().optional(),
    /** What the number may spend before it needs another grant, micro-units; codes have one of their own. Below 0: spent by what is never refused. */
    allowance: z.int().optional(),
    codeAllowance: z.int().optional(),
    // and `c:<campaign>`: what is left of the ceiling of a campaign that runs
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
  /** What its messages cost, where they are under a ceiling: it is taken with the slots, in one write, or neither is. */
  spend?: SlotSpend | undefined;
}

/** `first`: the start of the reservation. Refused: the next free slot, undefined when none was reserved yet; and what the number may spend. */
export type SlotReservationResult =
  | { done: true; first: number }
  | { done: false; next: number | undefined; isSuspended: boolean; allowances: AllowanceState };

/** Behind other reservations: this one begins where they end. */
export const reserveSlotsAfterOthers = pattern(
  { question: 'the next free slots of a busy number', entity: 'pace', by: 'UpdateItem', units: '1 WRU a reservation' },
  async ({ companyId, numberId, at, until, length, spend }: SlotReservation): Promise<SlotReservationResult> => {
    const written = await paceEntity.change(
      { companyId, numberId },
      { add: { next: length, ...spentOf(spend) } },
      all(atLeast('next', at), atMost('next', until), missing('isSuspended'), ...affords(spend)),
    );
    return written.done ? { done: true, first: written.item.next - length } : refused(written.current);
  },
);

/** The number is idle: the reservation begins now. */
export const reserveSlotsNow = pattern(
  { question: 'slots of an idle number', entity: 'pace', by: 'UpdateItem', units: '1 WRU a reservation' },
  async ({ companyId, numberId, at, length, spend }: SlotReservation): Promise<SlotReservationResult> => {
    const isIdle = all(below('next', at), missing('isSuspended'), ...affords(spend));
    const written = await paceEntity.change(
      { companyId, numberId },
      { set: { companyId, numberId, next: at + length, kind: paceEntity.name }, add: spentOf(spend) },
      // a number that has sent nothing has no allowance either
      spend ? isIdle : any(missing(), isIdle),
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

const refused = (current: StoredPace | undefined): SlotReservationResult => ({
  done: false,
  next: current?.next,
  isSuspended: current?.isSuspended === true,
  allowances: stateOf(current),
});

type StoredPace = ItemOf<typeof paceEntity>;
type Counters = NonNullable<ChangeOf<typeof paceEntity>['add']>;

const stateOf = (pace: StoredPace | undefined): AllowanceState => ({
  period: pace?.spendPeriod,
  allowance: pace?.allowance ?? 0,
  codeAllowance: pace?.codeAllowance ?? 0,
  budgetOf: (campaignId) => {
    const left = pace?.[budgetField(campaignId)];
    return typeof left === 'number' ? left : undefined;
  },
});

/** What a reservation takes. */
const spentOf = (spend: SlotSpend | undefined): Counters => ({
  ...(spend?.company ? { [allowanceField(spend.company.kind)]: -spend.company.micros } : {}),
  ...(spend?.campaign ? { [budgetField(spend.campaign.id)]: -spend.campaign.micros } : {}),
});

/** That the number may spend it. What is never refused needs no more than allowances of this day. */
const affords = (spend: SlotSpend | undefined) => [
  ...(spend?.company ? [equals('spendPeriod', spend.company.period)] : []),
  ...(spend?.company && spend.company.kind !== 'counted' ? [atLeast(allowanceField(spend.company.kind), spend.company.micros)] : []),
  ...(spend?.campaign ? [atLeast(budgetField(spend.campaign.id), spend.campaign.micros)] : []),
];

export const getAllowances = pattern(
  { question: 'what a number may spend', entity: 'pace', by: 'GetItem', units: '1 RRU, 0.5 eventually consistent' },
  async (companyId: number, numberId: number, { consistent = true } = {}): Promise<AllowanceState> =>
    stateOf(await paceEntity.get({ companyId, numberId }, { consistent })),
);

/** The part of a grant: the allowance grows, if it is still of this period. */
export const addingToAllowance = (
  companyId: number,
  numberId: number,
  { period, kind, micros }: { period: string; kind: 'code' | 'other'; micros: number },
): TransactionPart =>
  paceEntity.changing({ companyId, numberId }, { add: { [allowanceField(kind)]: micros } }, equals('spendPeriod', period));

/** The part of a return: the number has nothing to spend, from a period on, if its allowances are as they were read. */
export const clearingAllowances = (
  companyId: number,
  numberId: number,
  seen: AllowanceState,
  period: string | undefined,
): TransactionPart =>
  paceEntity.changing(
    { companyId, numberId },
    {
      set: {
        companyId,
        numberId,
        kind: paceEntity.name,
        spendPeriod: period,
        ...(seen.allowance === 0 ? {} : { allowance: 0 }),
        ...(seen.codeAllowance === 0 ? {} : { codeAllowance: 0 }),
      },
      setOnce: { next: 0 },
    },
    all(
      unchanged('spendPeriod', seen.period),
      any(equals('allowance', seen.allowance), ...(seen.allowance === 0 ? [missing('allowance')] : [])),
      any(equals('codeAllowance', seen.codeAllowance), ...(seen.codeAllowance === 0 ? [missing('codeAllowance')] : [])),
    ),
  );

/** What was taken for messages that were not sent comes back. Refused: the allowance is of another period, or the campaign has no ceiling any more. */
export const returningSpend = (companyId: number, numberId: number, spend: SlotSpend): { pace: TransactionPart } => {
  const company = spend.company && equals('spendPeriod', spend.company.period);
  const campaign = spend.campaign && exists(budgetField(spend.campaign.id));
  const counters = Object.fromEntries(Object.entries(spentOf(spend)).map(([field, micros]) => [field, -(micros ?? 0)]));
  const conditions = all(...(company ? [company] : []), ...(campaign ? [campaign] : []));
  return { pace: paceEntity.changing({ companyId, numberId }, { add: counters }, conditions) };
};

/** The part that lets a campaign spend from its number: once, as its item says what is left. */
export const openingBudget = (companyId: number, numberId: number, campaignId: number, micros: number): TransactionPart =>
  paceEntity.changing(
    { companyId, numberId },
    { set: { companyId, numberId, kind: paceEntity.name }, setOnce: { next: 0 }, add: { [budgetField(campaignId)]: micros } },
    missing(budgetField(campaignId)),
  );

/** The part that raises or lowers the ceiling of a campaign that spends. */
export const changingBudget = (companyId: number, numberId: number, campaignId: number, micros: number): TransactionPart =>
  paceEntity.changing({ companyId, numberId }, { add: { [budgetField(campaignId)]: micros } }, exists(budgetField(campaignId)));

/** The part that ends it; `left`: as it was read. */
export const closingBudget = (companyId: number, numberId: number, campaignId: number, left: number | undefined): TransactionPart =>
  paceEntity.changing(
    { companyId, numberId },
    { remove: [budgetField(campaignId)] },
    left === undefined ? exists() : equals(budgetField(campaignId), left),
  );

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
