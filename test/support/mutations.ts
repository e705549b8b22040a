import { testClock } from './clock.ts';
import { noteNoticed } from './crash-points.ts';

/**
 * Conditions of the product that a fault run takes away, one at a time, to see that the runs notice. A suite's mocks of the product look at
 * `removed` when they are called; those that several suites have are here.
 */
export const removedCondition = { name: '' };

/**
 * What the runs notice while a condition is away, line by line: round after round, until something fits or there were too many. The condition is
 * back afterwards.
 */
export const violationsWithout = async (
  condition: string,
  expected: RegExp,
  rounds: number,
  run: (round: number) => Promise<readonly string[]>,
): Promise<string> => {
  const noticed: string[] = [];
  removedCondition.name = condition;
  try {
    for (let round = 0; round < rounds && !noticed.some((what) => expected.test(what)); round++) noticed.push(...(await run(round)));
  } finally {
    removedCondition.name = '';
  }
  if (noticed.some((what) => expected.test(what))) noteNoticed(condition);
  return noticed.join('\n');
};

type Domain = typeof import('../../functions/changes/domain.ts');
type Consume = typeof import('../../shared/queue/consume.ts');
type Pacing = typeof import('../../functions/messaging/service/send-slots.ts');

/** `checkpoints`: each record of the change stream is new, however often it is projected. */
export const withoutCheckpoints = (real: Domain): Domain => ({
  ...real,
  isNew: (...args) => removedCondition.name === 'checkpoints' || real.isNew(...args),
});

/** `failures`: what a worker failed at is done. */
export const withoutBatchFailures = (real: Consume): Consume => ({
  ...real,
  consume: (...args) => {
    const worker = real.consume(...args);
    return async (event) => {
      const answer = await worker(event);
      return removedCondition.name === 'failures' ? { batchItemFailures: [] } : answer;
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
