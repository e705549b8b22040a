import { now } from '../../../shared/runtime/clock.ts';
import { latestSlotStart, type SendPriority, prioritySpacing, retryCampaignSlotsAt, slotTimes, slotRetryMs } from '../domain/pace.ts';
import { type SlotReservation, type SlotReservationResult, reserveSlotsAfterOthers, reserveSlotsNow } from '../store/pace.ts';

export type { SendPriority as Lane } from '../domain/pace.ts';

/** What pace needs to know of a number. */
export interface PacedNumber {
  companyId: number;
  id: number;
  ratePerSecond: number;
}

/** A moment at which one call may be made, or: none so near, come back at this time. Epoch milliseconds. */
export type Slot = { free: true; atMs: number } | { free: false; retryAtMs: number };

/**
 * Books a slot of a number for one call. What is asked in one breath (the messages of a batch) is booked as one block: one write, however
 * many. 1 WRU a block.
 */
export const reserveSlot = (number: PacedNumber, lane: SendPriority): Promise<Slot> => {
  const key = `${number.companyId}:${number.id}:${lane}`;
  return new Promise((resolve, reject) => {
    const queued = pendingCallers.get(key);
    if (queued) {
      queued.push({ resolve, reject });
      return;
    }
    const callers = [{ resolve, reject }];
    pendingCallers.set(key, callers);
    setImmediate(() => {
      pendingCallers.delete(key);
      reserveSlots(number, lane, callers.length).then(
        (slots) => callers.forEach((asker, index) => asker.resolve(slots[index] ?? { free: false, retryAtMs: now() + 1_000 })),
        (error: unknown) => callers.forEach((asker) => asker.reject(error)),
      );
    });
  });
};

/** Books a block of slots: for workers that send many. All of them, or none. */
export const reserveSlots = async (number: PacedNumber, lane: SendPriority, count: number): Promise<Slot[]> => {
  const booked = await reserveBlock(number, lane, count);
  return 'slots' in booked ? booked.slots.map((atMs) => ({ free: true, atMs })) : noSlots(count, booked.next, now());
};

/**
 * Slots of a campaign, epoch milliseconds: waits for them as long as they come before `untilMs`; none: they do not. A campaign's block
 * begins near the present, so a worker holds few at a time and comes again.
 */
export const reserveCampaignSlots = async (number: PacedNumber, count: number, untilMs: number, wait = waitForSlot): Promise<number[]> => {
  for (;;) {
    const booked = await reserveBlock(number, 'campaign', count);
    if ('slots' in booked) return booked.slots;
    const again = retryCampaignSlotsAt(booked.next ?? 0, now(), Math.random());
    if (again > untilMs) return [];
    await wait(again);
  }
};

type ReservedBlock = { slots: number[] } | { next: number | undefined };

async function reserveBlock(number: PacedNumber, lane: SendPriority, count: number): Promise<ReservedBlock> {
  const known = `${number.companyId}:${number.id}`;
  for (let tries = 0; tries < 6; tries++) {
    const nowMs = now();
    const lease: SlotReservation = {
      companyId: number.companyId,
      numberId: number.id,
      at: nowMs * 1_000,
      until: latestSlotStart(lane, nowMs),
      length: count * prioritySpacing(lane, number.ratePerSecond),
    };
    const seen = nextFreeSeen.get(known);
    // a campaign asks again and again: what is known already is not asked with a write
    if (seen !== undefined && seen > lease.until && (tries > 0 || lane === 'campaign')) return { next: seen };
    const leased: SlotReservationResult = await (seen !== undefined && seen >= lease.at ? reserveSlotsAfterOthers : reserveSlotsNow)(lease);
    if (leased.done) {
      nextFreeSeen.set(known, leased.first + lease.length);
      return { slots: slotTimes(leased.first, count, prioritySpacing(lane, number.ratePerSecond)) };
    }
    if (leased.next === undefined) nextFreeSeen.delete(known);
    else nextFreeSeen.set(known, leased.next);
  }
  return { next: nextFreeSeen.get(known) };
}

/** Until the slot; at once when it is here. */
export const waitForSlot = async (atMs: number): Promise<void> => {
  const left = atMs - now();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
};

interface PendingCaller {
  resolve: (slot: Slot) => void;
  reject: (error: unknown) => void;
}

const pendingCallers = new Map<string, PendingCaller[]>();

/** Where this process last saw the next free slot: it says which of the two writes will hold. */
const nextFreeSeen = new Map<string, number>();

const noSlots = (count: number, next: number | undefined, nowMs: number): Slot[] =>
  Array.from({ length: count }, () => ({ free: false, retryAtMs: nowMs + slotRetryMs(next, nowMs, Math.random()) }));
