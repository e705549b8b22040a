/** A binary heap of timed items; equal times keep their order of arrival. */

interface Entry<T> {
  dueAt: number;
  order: number;
  item: T;
}

export class DueQueue<T> {
  #heap: Entry<T>[] = [];
  #arrivals = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Epoch milliseconds of the earliest item. */
  get nextDueAt(): number | undefined {
    return this.#heap[0]?.dueAt;
  }

  add(dueAt: number, item: T): void {
    this.#arrivals += 1;
    const heap = this.#heap;
    const entry = { dueAt, order: this.#arrivals, item };
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (!parent || isBefore(parent, entry)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  /** Removes and returns the earliest item if it is due by `now`. */
  take(now: number): { dueAt: number; item: T } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (!first || first.dueAt > now) return undefined;
    const last = heap.pop();
    if (last && heap.length > 0) this.#sink(last);
    return first;
  }

  /** How many items are due by then. Walks only the part of the heap that is. */
  countDueBy(time: number): number {
    const walk = (at: number): number => {
      const entry = this.#heap[at];
      return entry && entry.dueAt <= time ? 1 + walk(2 * at + 1) + walk(2 * at + 2) : 0;
    };
    return walk(0);
  }

  #sink(entry: Entry<T>): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const child = right && left && isBefore(right, left) ? right : left;
      if (!child || isBefore(entry, child)) break;
      heap[at] = child;
      at = child === right ? 2 * at + 2 : 2 * at + 1;
    }
    heap[at] = entry;
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
}
