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
class Looks {
  readonly #mostSaved: number;
  readonly #earnedMs: number;
  #saved: number;
  #countedAt: number;

  constructor(now: number, mostSaved: number, earnedMs: number) {
    this.#mostSaved = mostSaved;
    this.#earnedMs = earnedMs;
    this.#saved = mostSaved;
    this.#countedAt = now;
  }

  spend(now: number): void {
    this.#saved = this.#savedBy(now) - 1;
    this.#countedAt = now;
  }

  /** Milliseconds until the next one is earned; 0 or less where one is saved. */
  wait(now: number): number {
    return Math.ceil((1 - this.#savedBy(now)) * this.#earnedMs);
  }

  #savedBy(now: number): number {
    return Math.min(this.#mostSaved, this.#saved + (now - this.#countedAt) / this.#earnedMs);
  }
}

/** How often a page looks for changes: often where something happens, and seldom where nothing does. Times are epoch milliseconds. */
export class Pace {
  /** While the doorbell rings: it says when to look (doorbell.ts). */
  rings?: Rings;
  #happenedAt: number;
  #lookedAt: number;
  /** Each look counts for both: a page is not rung yet when it begins, and its connection may end at any time. */
  readonly #looking: Looks;
  readonly #rung: Looks;

  constructor(now: number) {
    this.#happenedAt = now;
    this.#lookedAt = now;
    this.#looking = new Looks(now, 10, 3_800);
    this.#rung = new Looks(now, 120, 4_300);
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
    this.#lookedAt = now;
    this.#looking.spend(now);
    this.#rung.spend(now);
  }

  /** How long to wait from now on. */
  pause(now: number, isVisible: boolean): number {
    const quietFor = now - this.#happenedAt;
    const often = !isVisible ? hiddenMs : quietFor < minute ? busyMs : quietFor < 3 * minute ? calmMs : quietMs;
    return this.rings
      ? Math.max(this.rings.pause(now, isVisible, this.#lookedAt), this.#rung.wait(now))
      : Math.max(often, this.#looking.wait(now));
  }
}
