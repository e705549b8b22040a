import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueQueue } from '../../../lib/local/provider/due-queue.ts';

test('items come out by time, equal times in order of arrival, and never early', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), (times, now) => {
      const queue = new DueQueue<number>();
      times.forEach((dueAt, index) => queue.add(dueAt, index));
      const expected = times.map((dueAt, item) => ({ dueAt, item })).sort((a, b) => a.dueAt - b.dueAt || a.item - b.item);
      const due = expected.filter(({ dueAt }) => dueAt <= now);
      expect(queue.countDueBy(now)).toBe(due.length);
      expect(queue.nextDueAt).toBe(expected[0]?.dueAt);
      const taken = [];
      for (let next = queue.take(now); next; next = queue.take(now)) taken.push({ dueAt: next.dueAt, item: next.item });
      expect(taken).toEqual(due);
      expect(queue.size).toBe(times.length - due.length);
    }),
  );
});
