import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { faultRuns } from './fault-run.ts';
import { startStage } from './stage.ts';

/** Guards that a test takes away, to see that the runs notice. */
const removed = vi.hoisted(() => ({ claimOfNew: false, revOfChange: false, marks: false, forwardOnly: false }));

vi.mock('../../functions/messaging/store/message.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/store/message.ts')>();
  return {
    ...real,
    addMessage: async (message: StoredMessage) => {
      const written = await real.addMessage(message);
      return written.done || !removed.claimOfNew ? written : { done: true as const, item: message };
    },
    changeMessage: async (seen: StoredMessage, change: Partial<StoredMessage>, at: number) => {
      let written = await real.changeMessage(seen, change, at);
      while (removed.revOfChange && !written.done && written.current) written = await real.changeMessage(written.current, change, at);
      return written;
    },
  };
});
vi.mock('../../functions/messaging/domain/status.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/domain/status.ts')>();
  const ranks: Record<string, number> = { sent: 2, delivered: 3, read: 4 };
  return {
    ...real,
    applyStatus: (...[message, evidence]: Parameters<typeof real.applyStatus>) =>
      removed.forwardOnly ? { status: ranks[evidence.status] ?? message.status } : real.applyStatus(message, evidence),
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) => {
  const real = await original<typeof import('../../functions/changes/domain.ts')>();
  return { ...real, isNew: (...args: Parameters<typeof real.isNew>) => removed.marks || real.isNew(...args) };
});

const stage = await startStage();
afterAll(() => stage.stop());
const timeout = AbortSignal.timeout.bind(AbortSignal);
beforeEach(() => void vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(60)));
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(removed, { claimOfNew: false, revOfChange: false, marks: false, forwardOnly: false });
});

const companies = await Promise.all(Array.from({ length: 8 }, () => stage.company()));
const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);
const count = Number(process.env['SEEDS'] ?? 30);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs nobody gets a message twice, nothing acknowledged is lost, no status goes back, counts equal a recount`,
    async () => {
      expect(await faultRuns(stage, companies, seeds(1, count))).toEqual([]);
    },
    60_000 + count * 1_000,
  );

  test.each([
    ['the claim of a new message', 'claimOfNew', /accepted 2 times|rows|went from|ends in/],
    ['the revision of a change', 'revOfChange', /accepted|went from|ends in/],
    ['the marks of folded changes', 'marks', /recounted/],
    ['the order of statuses', 'forwardOnly', /went from/],
  ] as const)(
    'the runs notice when %s is not guarded',
    async (_, guard, expected) => {
      const fresh = await Promise.all(Array.from({ length: 4 }, () => stage.company()));
      removed[guard] = true;
      const noticed: string[] = [];
      const first = 100_000 + Object.keys(removed).indexOf(guard) * 1_000;
      for (let round = 0; round < 10 && !noticed.some((what) => expected.test(what)); round++)
        noticed.push(...(await faultRuns(stage, fresh, seeds(first + round * 4, 4))).map(({ what }) => what));
      expect(noticed.join('\n')).toMatch(expected);
    },
    60_000,
  );
});
