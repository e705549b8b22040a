import { testClock } from './clock.ts';
import { noteNoticed } from './crash-points.ts';

/**
 * Guards of the product that a fault run takes away, one at a time, to see that the runs notice. A suite's mocks of the product look at
 * `removed` when they are called; those that several suites have are here.
 */
export const removedCondition = { guard: '' };

/**
 * What the runs notice while a guard is away, line by line: round after round, until something fits or there were too many. The guard is
 * back afterwards.
 */
export const violationsWithout = async (
  guard: string,
  expected: RegExp,
  rounds: number,
  run: (round: number) => Promise<readonly string[]>,
): Promise<string> => {
  const noticed: string[] = [];
  removedCondition.guard = guard;
  try {
    for (let round = 0; round < rounds && !noticed.some((what) => expected.test(what)); round++) noticed.push(...(await run(round)));
  } finally {
    removedCondition.guard = '';
  }
  if (noticed.some((what) => expected.test(what))) noteNoticed(guard);
  return noticed.join('\n');
};

type Domain = typeof import('../../functions/changes/domain.ts');
type Consume = typeof import('../../shared/queue/consume.ts');
type Pacing = typeof import('../../functions/messaging/service/send-slots.ts');

/** `checkpoints`: each record of the change stream is new, however often it is folded. */
export const withoutCheckpoints = (real: Domain): Domain => ({
  ...real,
  isNew: (...args) => removedCondition.guard === 'checkpoints' || real.isNew(...args),
});

/** `failures`: what a worker failed at is done. */
export const withoutBatchFailures = (real: Consume): Consume => ({
  ...real,
  consume: (...args) => {
    const worker = real.consume(...args);
    return async (event) => {
      const answer = await worker(event);
      return removedCondition.guard === 'failures' ? { batchItemFailures: [] } : answer;
    };
  },
});

/** Slots are waited for in the time of the test, not of the machine: a clock that is slow by a second is waited for a hundred times. */
export const withTestTimePacing = (real: Pacing): Pacing => {
  const untilSlot = async (atMs: number): Promise<void> => testClock().moveTo(atMs);
  return {
    ...real,
    waitForSlot: untilSlot,
    reserveCampaignSlots: (number, count, untilMs) => real.reserveCampaignSlots(number, count, untilMs, untilSlot),
  };
};
