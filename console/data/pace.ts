import type { Rings } from './rings.ts';

/** Milliseconds between two looks: after something happened or the user did something, after a minute, after three, and while the page is hidden. */
const busyMs = 2_000;
const calmMs = 5_000;
const quietMs = 10_000;
const hiddenMs = 30_000;
const minute = 60_000;

/**
 * Looks in a row of which none has to wait for its turn, and the time in which another one is earned: where something happens all the time, a
 * page looks some 950 times an hour, and shows within four seconds what came. Who is rung looks only when something came, and once more after it:
 * such a page shows a hundred messages of a busy stretch at once before it waits.
 */
const looking = { mostSaved: 10, earnedMs: 3_800 };
const rung = { mostSaved: 120, earnedMs: 4_300 };

/** How often a page looks for changes: often where something happens, and seldom where nothing does. Times are epoch milliseconds. */
export class Pace {
  /** While the doorbell rings: it says when to look (doorbell.ts). */
  rings?: Rings;
  #happenedAt: number;
  #saved = rung.mostSaved;
  #countedAt: number;

  constructor(now: number) {
    this.#happenedAt = now;
    this.#countedAt = now;
  }

  happened(now: number): void {
    this.#happenedAt = now;
  }

  /** The user does something on the page, for whom it looks as where something happens; whether it looked less often until now. */
  used(now: number): boolean {
    const wasQuiet = now - this.#happenedAt >= minute;
    this.#happenedAt = now;
    return wasQuiet;
  }

  looked(now: number): void {
    this.#saved = this.#savedBy(now) - 1;
    this.#countedAt = now;
  }

  /** How long to wait from now on. */
  pause(now: number, isVisible: boolean): number {
    const quietFor = now - this.#happenedAt;
    const often = !isVisible ? hiddenMs : quietFor < minute ? busyMs : quietFor < 3 * minute ? calmMs : quietMs;
    const { earnedMs } = this.#budget;
    return Math.max(this.rings?.pause(now, isVisible, this.#countedAt) ?? often, Math.ceil((1 - this.#savedBy(now)) * earnedMs));
  }

  get #budget(): typeof looking {
    return this.rings ? rung : looking;
  }

  #savedBy(now: number): number {
    const { mostSaved, earnedMs } = this.#budget;
    return Math.min(mostSaved, this.#saved + (now - this.#countedAt) / earnedMs);
  }
}
