import { afterAll, describe, expect, test } from 'vitest';
import { webhookEventsQueue } from '../../functions/webhooks/contract/queue.ts';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { type Condition, holdsBy } from '../support/mutation.ts';
import { seedsFrom } from '../support/random.ts';
import { startFaultFixture } from './fault-run.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

const fixture = await startFaultFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const count = runSize(1, 8);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs no event is lost, none invented, repeats carry the same id and body, and none comes after it was settled`,
    async () => {
      expect(await fixture.run(seedsFrom(firstSeed, count))).toEqual([]);
      for (const round of targetedRounds()) expect(await fixture.run(seedsFrom(50_000 + round * 4, 4))).toEqual([]);
      expect(fixture.testApp.deadLettersOf(webhookEventsQueue)).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  const holds = (name: string, condition: Condition, expected: RegExp, seed: number): void =>
    holdsBy(name, condition, expected, 6, (round) => fixture.run(seedsFrom(seed + round * 3, 3)));

  holds(
    'what the log says of what is pending',
    {
      in: 'functions/webhooks/service/deliver-webhooks.ts',
      replace: 'const logOf = new Map(logs.map((each) => [each.eventId, each]));',
      by: 'const logOf = new Map();',
    },
    /after it was settled/,
    103_000,
  );
  holds(
    'that what comes again is written down first',
    {
      in: 'functions/webhooks/service/deliver-webhooks.ts',
      replace: 'await putPendingDelivery({ ...pending, attempts, nextAt: delivery.nextAt });',
      by: ';',
    },
    /lost/,
    105_000,
  );
  holds(
    'ids that follow from the change',
    {
      in: 'functions/webhooks/domain/payload.ts',
      replace: '`${companyId}:${changeId}`',
      by: '`${companyId}:${changeId}:${Math.random()}`',
    },
    /two ids/,
    102_000,
  );
});
