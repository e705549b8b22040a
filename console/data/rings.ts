/**
 * When a page looks by itself where the doorbell rings, and while it shows to colleagues that this user looks at a conversation, which lasts half a
 * minute.
 */
const ownMs = 60_000;
const shownMs = 20_000;
const hiddenMs = 30_000;

/**
 * The bell rings at most once a second: what happened within the second after a ring has none of its own, and is in the log when it is over.
 * The tenth is for reads that are some milliseconds old.
 */
const afterRingMs = 1_100;

/** When a page looks while the doorbell rings. Times are epoch milliseconds. */
export class Rings {
  readonly #isShown: () => boolean;
  #rungAt = -Infinity;

  /** @param isShown whether colleagues see that this user looks at a conversation */
  constructor(isShown: () => boolean) {
    this.#isShown = isShown;
  }

  rung(now: number): void {
    this.#rungAt = now;
  }

  /** How long to wait from now on, after a look that began at `lookedAt`. */
  pause(now: number, isVisible: boolean, lookedAt: number): number {
    return Math.max(0, this.#nextLook(isVisible, lookedAt) - now);
  }

  #nextLook(isVisible: boolean, lookedAt: number): number {
    const after = this.#rungAt + afterRingMs;
    const due = this.#rungAt > lookedAt ? this.#rungAt : after > lookedAt ? after : Infinity;
    return isVisible
      ? Math.min(due, lookedAt + (this.#isShown() ? shownMs : ownMs))
      : Math.min(Math.max(due, lookedAt + hiddenMs), lookedAt + ownMs);
  }
}
