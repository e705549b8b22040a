import { now } from '../../../shared/runtime/clock.ts';
import { horizonOf, type Lane, laneSpacing, lookAgainAt, slotsOf, waitMs } from '../domain/pace.ts';
import { type Lease, type Leased, leaseNext, leaseNow } from '../store/pace.ts';

export type { Lane } from '../domain/pace.ts';

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
export const takeSlot = (number: PacedNumber, lane: Lane): Promise<Slot> => {
  const key = `${number.companyId}:${number.id}:${lane}`;
  return new Promise((resolve, reject) => {
    const crowd = waiting.get(key);
    if (crowd) {
      crowd.push({ resolve, reject });
      return;
    }
    const fresh = [{ resolve, reject }];
    waiting.set(key, fresh);
    setImmediate(() => {
      waiting.delete(key);
      takeSlots(number, lane, fresh.length).then(
        (slots) => fresh.forEach((asker, index) => asker.resolve(slots[index] ?? { free: false, retryAtMs: now() + 1_000 })),
        (error: unknown) => fresh.forEach((asker) => asker.reject(error)),
      );
    });
  });
};

/** Books a block of slots: for workers that send many. All of them, or none. */
export const takeSlots = async (number: PacedNumber, lane: Lane, count: number): Promise<Slot[]> => {
  const booked = await book(number, lane, count);
  return 'slots' in booked ? booked.slots.map((atMs) => ({ free: true, atMs })) : full(count, booked.next, now());
};

/**
 * Slots of a campaign, epoch milliseconds: waits for them as long as they come before `untilMs`; none: they do not. A campaign's block
 * begins near the present, so a worker holds few at a time and comes again.
 */
export const takeCampaignSlots = async (number: PacedNumber, count: number, untilMs: number, wait = untilSlot): Promise<number[]> => {
  for (;;) {
    const booked = await book(number, 'campaign', count);
    if ('slots' in booked) return booked.slots;
    const again = lookAgainAt(booked.next ?? 0, now(), Math.random());
    if (again > untilMs) return [];
    await wait(again);
  }
};

type Booked = { slots: number[] } | { next: number | undefined };

async function book(number: PacedNumber, lane: Lane, count: number): Promise<Booked> {
  const known = `${number.companyId}:${number.id}`;
  for (let tries = 0; tries < 6; tries++) {
    const nowMs = now();
    const lease: Lease = {
      companyId: number.companyId,
      numberId: number.id,
      at: nowMs * 1_000,
      until: horizonOf(lane, nowMs),
      length: count * laneSpacing(lane, number.ratePerSecond),
    };
    const seen = lastSeen.get(known);
    // a campaign asks again and again: what is known already is not asked with a write
    if (seen !== undefined && seen > lease.until && (tries > 0 || lane === 'campaign')) return { next: seen };
    const leased: Leased = await (seen !== undefined && seen >= lease.at ? leaseNext : leaseNow)(lease);
    if (leased.done) {
      lastSeen.set(known, leased.first + lease.length);
      return { slots: slotsOf(leased.first, count, laneSpacing(lane, number.ratePerSecond)) };
    }
    if (leased.next === undefined) lastSeen.delete(known);
    else lastSeen.set(known, leased.next);
  }
  return { next: lastSeen.get(known) };
}

/** Until the slot; at once when it is here. */
export const untilSlot = async (atMs: number): Promise<void> => {
  const left = atMs - now();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
};

interface Asker {
  resolve: (slot: Slot) => void;
  reject: (error: unknown) => void;
}

const waiting = new Map<string, Asker[]>();

/** Where this process last saw the next free slot: it says which of the two writes will hold. */
const lastSeen = new Map<string, number>();

const full = (count: number, next: number | undefined, nowMs: number): Slot[] =>
  Array.from({ length: count }, () => ({ free: false, retryAtMs: nowMs + waitMs(next, nowMs, Math.random()) }));
