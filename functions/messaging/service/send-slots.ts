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
import { joinLine, reserveSlotsAfterOthers, reserveSlotsNow, type SlotReservation, type SlotReservationResult } from '../store/pace.ts';

/** Send slots: each call of the provider has a moment of its own, so that a number never exceeds its rate. */

export interface PacedNumber {
  companyId: number;
  id: number;
  ratePerSecond: number;
}

/** A moment for one call; or none within reach, and when to try again. Epoch milliseconds. */
export type Slot = { free: true; atMs: number } | { free: false; retryAtMs: number; isSuspended?: true };

/** Reserves a slot for one call. Callers of the same tick (the messages of a batch) share one write. 1 WRU. */
export const reserveSlot = async (number: PacedNumber, priority: SendPriority): Promise<Slot> => {
  const slot = await shareWrite(slotCallers, `${number.companyId}:${number.id}:${priority}`, (count) =>
    reserveSlots(number, priority, count),
  );
  return slot ?? { free: false, retryAtMs: now() + 1_000 };
};

/**
 * When a message that found no slot tries again, epoch milliseconds: at its turn in the number's line, so that a burst is not tried again
 * every few seconds as a whole. Messages of the same tick share one write. `retryAtMs`: where the line is too contended to join.
 */
export const takeTurn = async (number: PacedNumber, retryAtMs: number): Promise<number> => {
  const turn = await shareWrite(turnCallers, `${number.companyId}:${number.id}`, (count) => takeTurns(number, count));
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

interface Caller<T> {
  resolve: (result: T | undefined) => void;
  reject: (error: unknown) => void;
}

const slotCallers = new Map<string, Caller<Slot>[]>();
const turnCallers = new Map<string, Caller<number>[]>();

/** One write for all callers of the same tick with the same key; each gets the result of its place, if there is one. */
function shareWrite<T>(pending: Map<string, Caller<T>[]>, key: string, write: (count: number) => Promise<T[]>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const others = pending.get(key);
    if (others) {
      others.push({ resolve, reject });
      return;
    }
    const callers = [{ resolve, reject }];
    pending.set(key, callers);
    setImmediate(() => {
      pending.delete(key);
      write(callers.length).then(
        (results) => callers.forEach((caller, index) => caller.resolve(results[index])),
        (error: unknown) => callers.forEach((caller) => caller.reject(error)),
      );
    });
  });
}

/** Reserves several slots in one write: all of them, or none. */
export const reserveSlots = async (number: PacedNumber, priority: SendPriority, count: number): Promise<Slot[]> => {
  const reserved = await reserveRun(number, priority, count);
  if (reserved === 'suspended')
    return Array.from({ length: count }, () => ({ free: false, retryAtMs: now() + suspendedRetryMs, isSuspended: true }));
  return 'slots' in reserved ? reserved.slots.map((atMs) => ({ free: true, atMs })) : noSlots(count, reserved.next, now());
};

/**
 * Slots of a campaign, epoch milliseconds. Waits for them while they come before `untilMs`; empty: they do not. They begin near the
 * present, so a worker holds few at a time and comes again. `suspended`: the company is, and gets none.
 */
export const reserveCampaignSlots = async (
  number: PacedNumber,
  count: number,
  untilMs: number,
  wait = waitForSlot,
): Promise<number[] | 'suspended'> => {
  for (;;) {
    const reserved = await reserveRun(number, 'campaign', count);
    if (reserved === 'suspended') return reserved;
    if ('slots' in reserved) return reserved.slots;
    const retryAt = retryCampaignSlotsAt(reserved.next ?? 0, now(), Math.random());
    if (retryAt > untilMs) return [];
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

type ReservedRun = { slots: number[] } | { next: number | undefined } | 'suspended';

/** Consecutive slots; or where the next free one is, when that is further ahead than the priority may reserve. */
async function reserveRun(number: PacedNumber, priority: SendPriority, count: number): Promise<ReservedRun> {
  const key = `${number.companyId}:${number.id}`;
  const spacing = prioritySpacing(priority, number.ratePerSecond);
  for (let tries = 0; tries < 6; tries++) {
    const nowMs = now();
    const reservation: SlotReservation = {
      companyId: number.companyId,
      numberId: number.id,
      at: nowMs * 1_000,
      until: latestSlotStart(priority, nowMs),
      length: count * spacing,
    };
    const nextFree = nextFreeSeen.get(key);
    // a campaign tries again and again: what this process knows already needs no write
    if (nextFree !== undefined && nextFree > reservation.until && (tries > 0 || priority === 'campaign')) return { next: nextFree };
    const isBusy = nextFree !== undefined && nextFree >= reservation.at;
    const reserved: SlotReservationResult = await (isBusy ? reserveSlotsAfterOthers : reserveSlotsNow)(reservation);
    if (reserved.done) {
      nextFreeSeen.set(key, reserved.first + reservation.length);
      return { slots: slotTimes(reserved.first, count, spacing) };
    }
    if (reserved.isSuspended) return 'suspended';
    if (reserved.next === undefined) nextFreeSeen.delete(key);
    else nextFreeSeen.set(key, reserved.next);
  }
  return { next: nextFreeSeen.get(key) };
}

/** A send of a suspended company waits this long before it is looked at again. */
const suspendedRetryMs = 15 * minuteMs;

/** The next free slot that this process saw last: it predicts which of the two conditional writes will hold. */
const nextFreeSeen = processMap<string, number>();

const noSlots = (count: number, next: number | undefined, nowMs: number): Slot[] =>
  Array.from({ length: count }, () => ({ free: false, retryAtMs: nowMs + slotRetryMs(next, nowMs, Math.random()) }));
