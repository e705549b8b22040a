import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import {
  campaignSlotCount,
  claimWindow,
  firstTurn,
  latestSlotStart,
  prioritySpacing,
  retryCampaignSlotsAt,
  type SendPriority,
  slotRetryMs,
  slotTimes,
  turnSpacing,
} from '../domain/pace.ts';
import type { CeilingName } from '../../spend/contract/spend-account.ts';
import type { CeilingCharge } from '../../spend/service/ceiling-charges.ts';
import { allowancePeriod, getSpendAccount, resetsAtMs } from '../../spend/service/spend-accounts.ts';
import { type AllowanceState, prefixThatFits, shortOf, type SlotSpend, totalOf } from '../domain/allowance.ts';
import { provideAllowance } from './allowances.ts';
import { joinLine, reserveSlotsAfterOthers, reserveSlotsNow, type SlotReservation, type SlotReservationResult } from '../store/pace.ts';

/** Send slots: each call of the provider has a moment of its own, so that a number never exceeds its rate. */

export interface PacedNumber {
  companyId: number;
  id: number;
  ratePerSecond: number;
}

/** A moment for one call; or none within reach, and when to try again. Epoch milliseconds. `spend`: what was taken for it. */
export type Slot = { free: true; atMs: number; spend?: SlotSpend } | { free: false; retryAtMs: number; isSuspended?: true };

/** The ceiling that does not allow the next message. */
export interface SpendLimit {
  ceiling: CeilingName;
  currency: string | undefined;
  limitMicros: number | undefined;
  leftMicros: number;
  /** When it begins anew, epoch milliseconds; undefined: the ceiling of a campaign does not. */
  resetsAtMs: number | undefined;
  /** Of the company's settings, by which it was decided. */
  rev?: number;
  /** Whether the company wants its campaigns to continue by themselves when the ceiling begins anew. */
  waits?: boolean;
  /** The campaign has a ceiling, and its number has nothing of it. */
  isUnopened?: true;
}

/** Reserves a slot for one call. Callers of the same tick (the messages of a batch) share one write. 1 WRU. */
export const reserveSlot = async (number: PacedNumber, priority: SendPriority): Promise<Slot> => {
  const slot = await reserveChargedSlot(number, priority, undefined);
  return 'limit' in slot ? { free: false, retryAtMs: now() + 1_000 } : slot;
};

/** The same for a call that is charged: its cost is taken with the slot, in the same write; or no slot is, and the limit says why. */
export const reserveChargedSlot = async (
  number: PacedNumber,
  priority: SendPriority,
  charge: CeilingCharge | undefined,
): Promise<Slot | { limit: SpendLimit }> => {
  const key = `${number.companyId}:${number.id}:${priority}:${charge?.company?.kind ?? ''}:${charge?.campaign?.id ?? ''}`;
  const slot = await shareWrite(slotCallers, key, charge, (charges) => reserveEach(number, priority, charges));
  return slot ?? { free: false, retryAtMs: now() + 1_000 };
};

/** As many as one write allows; where the next one is refused, cheaper ones behind it may still fit. */
async function reserveEach(
  number: PacedNumber,
  priority: SendPriority,
  charges: readonly (CeilingCharge | undefined)[],
): Promise<(Slot | { limit: SpendLimit })[]> {
  const [first] = charges;
  if (first === undefined) return reserveSlots(number, priority, charges.length);
  const charged = charges.filter((charge) => charge !== undefined);
  const reserved = await reserveRun(number, priority, charged.length, charged);
  if (reserved === 'suspended') return suspendedSlots(charges.length);
  if ('next' in reserved) return noSlots(charges.length, reserved.next, now());
  if ('limit' in reserved) {
    const rest = charged.slice(1).map((charge) => ({ charge, mayFit: isCheaper(charge, first) }));
    const cheaper = rest.flatMap(({ charge, mayFit }) => (mayFit ? [charge] : []));
    const results = cheaper.length > 0 ? await reserveEach(number, priority, cheaper) : [];
    return [reserved, ...rest.map(({ mayFit }) => (mayFit ? (results.shift() ?? reserved) : reserved))];
  }
  const slots = reserved.slots.map((atMs, nth): Slot => {
    const spend = spendOf(charged.slice(nth, nth + 1), reserved.period);
    return { free: true, atMs, ...(spend ? { spend } : {}) };
  });
  const rest = charged.slice(slots.length);
  return rest.length === 0 ? slots : [...slots, ...(await reserveEach(number, priority, rest))];
}

/** What a ceiling does not allow, it allows at no higher price either. */
const isCheaper = (one: CeilingCharge, other: CeilingCharge): boolean =>
  (one.company?.micros ?? 0) < (other.company?.micros ?? 0) || (one.campaign?.micros ?? 0) < (other.campaign?.micros ?? 0);

/**
 * When a message that found no slot tries again, epoch milliseconds: at its turn in the number's line, so that a burst is not tried again
 * every few seconds as a whole. Messages of the same tick share one write. `retryAtMs`: where the line is too contended to join.
 */
export const takeTurn = async (number: PacedNumber, retryAtMs: number): Promise<number> => {
  const turn = await shareWrite(turnCallers, `${number.companyId}:${number.id}`, undefined, ({ length }) => takeTurns(number, length));
  return turn ?? retryAtMs;
};

async function takeTurns({ companyId, id, ratePerSecond }: PacedNumber, count: number): Promise<number[]> {
  const spacing = turnSpacing(ratePerSecond);
  for (let tries = 0; tries < 6; tries++) {
    const first = await joinLine({ companyId, numberId: id, at: firstTurn(now()), length: count * spacing });
    if (first !== undefined) return slotTimes(first, count, spacing);
  }
  return [];
}

interface Caller<T, Given> {
  given: Given;
  resolve: (result: T | undefined) => void;
  reject: (error: unknown) => void;
}

const slotCallers = new Map<string, Caller<Slot | { limit: SpendLimit }, CeilingCharge | undefined>[]>();
const turnCallers = new Map<string, Caller<number, undefined>[]>();

/** One write for all callers of the same tick with the same key; each gets the result of its place, if there is one. */
function shareWrite<T, Given>(
  pending: Map<string, Caller<T, Given>[]>,
  key: string,
  given: Given,
  write: (given: readonly Given[]) => Promise<T[]>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const others = pending.get(key);
    if (others) {
      others.push({ given, resolve, reject });
      return;
    }
    const callers = [{ given, resolve, reject }];
    pending.set(key, callers);
    setImmediate(() => {
      pending.delete(key);
      write(callers.map((caller) => caller.given)).then(
        (results) => callers.forEach((caller, index) => caller.resolve(results[index])),
        (error: unknown) => callers.forEach((caller) => caller.reject(error)),
      );
    });
  });
}

/** Reserves several slots in one write: all of them, or none. */
export const reserveSlots = async (number: PacedNumber, priority: SendPriority, count: number): Promise<Slot[]> => {
  const reserved = await reserveRun(number, priority, count);
  if (reserved === 'suspended') return suspendedSlots(count);
  if ('slots' in reserved) return reserved.slots.map((atMs) => ({ free: true, atMs }));
  return noSlots(count, 'next' in reserved ? reserved.next : undefined, now());
};

const suspendedSlots = (count: number): Slot[] =>
  Array.from({ length: count }, () => ({ free: false, retryAtMs: now() + suspendedRetryMs, isSuspended: true }));

/** Slots of a campaign, with the period that pays for them: fewer than were requested where a ceiling allows no more. */
export interface CampaignSlots {
  slots: number[];
  period?: string | undefined;
}

/**
 * Slots of a campaign, epoch milliseconds. Waits for them while they come before `untilMs`; none: they do not. They begin near the
 * present, so a worker holds few at a time and comes again. `suspended`: the company is, and gets none. `charges`: of its next messages, in their order,
 * where they are under a ceiling.
 */
export const reserveCampaignSlots = async (
  number: PacedNumber,
  count: number,
  untilMs: number,
  wait = waitForSlot,
  charges?: readonly CeilingCharge[],
): Promise<CampaignSlots | { limit: SpendLimit } | 'suspended'> => {
  for (;;) {
    const reserved = await reserveRun(number, 'campaign', count, charges);
    if (reserved === 'suspended' || 'slots' in reserved || 'limit' in reserved) return reserved;
    const retryAt = retryCampaignSlotsAt(reserved.next ?? 0, now(), Math.random());
    if (retryAt > untilMs) return { slots: [] };
    await wait(retryAt);
  }
};

/** How many slots a campaign reserves at a time. */
export const campaignSlotsAtOnce = ({ ratePerSecond }: PacedNumber): number => campaignSlotCount(ratePerSecond);

/** For each slot when its recipient is claimed: with the others of its window, at the first of their slots. */
export const claimTimes = (slots: readonly number[], { ratePerSecond }: PacedNumber): number[] => {
  const window = claimWindow(ratePerSecond);
  return slots.map((slot, index) => slots[index - (index % window)] ?? slot);
};

/** Waits until the slot's moment; not at all when it has passed. */
export const waitForSlot = async (atMs: number): Promise<void> => {
  const leftMs = atMs - now();
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
};

type ReservedRun = { slots: number[]; period?: string | undefined } | { next: number | undefined } | { limit: SpendLimit } | 'suspended';

/** How often money is provided for one run before others have it. */
const maxProvisions = 12;

/**
 * Consecutive slots, and what their messages cost; or where the next free slot is, when that is further ahead than the priority may reserve; or the
 * ceiling that does not allow the first of the messages. Where a ceiling allows some of them, they are reserved.
 */
async function reserveRun(
  number: PacedNumber,
  priority: SendPriority,
  requested: number,
  charges?: readonly CeilingCharge[],
): Promise<ReservedRun> {
  const key = `${number.companyId}:${number.id}`;
  const spacing = prioritySpacing(priority, number.ratePerSecond);
  let paid: Paid = { count: requested, charges, period: charges && (await periodSeen(number.companyId)) };
  let provisions = 0;
  for (let tries = 0; tries < 6; tries++) {
    const nowMs = now();
    const spend = paid.charges && spendOf(paid.charges.slice(0, paid.count), paid.period);
    const reservation: SlotReservation = {
      companyId: number.companyId,
      numberId: number.id,
      at: nowMs * 1_000,
      until: latestSlotStart(priority, nowMs),
      length: paid.count * spacing,
      spend,
    };
    const nextFree = nextFreeSeen.get(key);
    // a campaign tries again and again: what this process knows already needs no write
    if (nextFree !== undefined && nextFree > reservation.until && (tries > 0 || priority === 'campaign')) return { next: nextFree };
    const isBusy = nextFree !== undefined && nextFree >= reservation.at;
    const reserved: SlotReservationResult = await (isBusy ? reserveSlotsAfterOthers : reserveSlotsNow)(reservation);
    if (reserved.done) {
      nextFreeSeen.set(key, reserved.first + reservation.length);
      return { slots: slotTimes(reserved.first, paid.count, spacing), period: paid.period };
    }
    if (reserved.isSuspended) return 'suspended';
    if (reserved.next === undefined) nextFreeSeen.delete(key);
    else nextFreeSeen.set(key, reserved.next);
    const isFar = reserved.next !== undefined && reserved.next > reservation.until;
    if (isFar || !spend || !paid.charges || !shortOf(reserved.allowances, spend) || ++provisions > maxProvisions) continue;
    const provided = await provideFor(number, { ...paid, charges: paid.charges }, reserved.allowances);
    if (provided === 'contended') return { next: reserved.next };
    if ('limit' in provided) return provided;
    paid = provided;
    // what was short was money, not a slot
    tries = -1;
  }
  return { next: nextFreeSeen.get(key) };
}

/** How many messages of a run are paid for, and the period that pays; without charges they are under no ceiling. */
interface Paid {
  count: number;
  charges: readonly CeilingCharge[] | undefined;
  period: string | undefined;
}

/** Provides what is short for a run: of its campaign only what is left, of the company what its account grants. */
async function provideFor(
  number: PacedNumber,
  paid: Paid & { charges: readonly CeilingCharge[] },
  allowances: AllowanceState,
): Promise<Paid | { limit: SpendLimit } | 'contended'> {
  const { campaign: ofCampaign, company: ofCompany } = coveredBy(paid.charges);
  let { count } = paid;
  if (ofCampaign) {
    const left = allowances.budgetOf(ofCampaign.id);
    count = prefixThatFits(
      paid.charges.slice(0, count).map(({ campaign }) => campaign?.micros ?? 0),
      left ?? -1,
    );
    if (count === 0) return { limit: campaignLimit(left) };
  }
  if (!ofCompany) return { ...paid, count };
  const prices = paid.charges.slice(0, count).map(({ company }) => company?.micros ?? 0);
  const provided = await provideAllowance(number, { kind: ofCompany.kind, prices, seen: allowances });
  if (provided === 'contended') return provided;
  if (provided === 'unlimited')
    return { count, period: undefined, charges: ofCampaign && paid.charges.map(({ campaign }) => ({ campaign })) };
  if ('count' in provided) return { ...paid, ...provided };
  const { ceiling, account, leftMicros } = provided;
  return {
    limit: {
      ceiling,
      currency: account.currency,
      limitMicros: ceiling === 'day' ? account.dayLimit : account.monthLimit,
      leftMicros,
      resetsAtMs: resetsAtMs(account, ceiling),
      rev: account.rev,
      waits: account.onReached === 'wait',
    },
  };
}

const campaignLimit = (left: number | undefined): SpendLimit => ({
  ceiling: 'campaign',
  currency: undefined,
  limitMicros: undefined,
  leftMicros: left ?? 0,
  resetsAtMs: undefined,
  ...(left === undefined ? { isUnopened: true } : {}),
});

/** The period that this process knows; where it is another one by now, the reservation is refused and provides for the present one. */
const periodSeen = async (companyId: number): Promise<string> => {
  const account = await getSpendAccount(companyId);
  return account ? allowancePeriod(account) : '';
};

/** The ceilings that the messages of a run are under: they are of one category and one campaign. Some may have no price of the company's. */
const coveredBy = (charges: readonly CeilingCharge[]): CeilingCharge => ({
  company: charges.find(({ company }) => company)?.company,
  campaign: charges.find(({ campaign }) => campaign)?.campaign,
});

/** What the messages of a run cost together. */
export function spendOf(charges: readonly CeilingCharge[], period: string | undefined): SlotSpend | undefined {
  const { company: ofCompany, campaign: ofCampaign } = coveredBy(charges);
  if (!ofCompany && !ofCampaign) return undefined;
  return {
    company: ofCompany && {
      period: period ?? '',
      kind: ofCompany.kind,
      currency: ofCompany.currency,
      micros: totalOf(charges.map(({ company }) => company?.micros ?? 0)),
    },
    campaign: ofCampaign && { ...ofCampaign, micros: totalOf(charges.map(({ campaign }) => campaign?.micros ?? 0)) },
  };
}

/** A send of a suspended company waits this long before it is looked at again. */
const suspendedRetryMs = 15 * minuteMs;

/** The next free slot that this process saw last: it predicts which of the two conditional writes will hold. */
const nextFreeSeen = processMap<string, number>();

const noSlots = (count: number, next: number | undefined, nowMs: number): Slot[] =>
  Array.from({ length: count }, () => ({ free: false, retryAtMs: nowMs + slotRetryMs(next, nowMs, Math.random()) }));
