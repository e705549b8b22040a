import { afterAll, describe, expect, test, vi } from 'vitest';
import type { StoredMessage } from '../../functions/messaging/contract/stored.ts';
import type { ProviderResult } from '../../functions/messaging/domain/provider-result.ts';
import { mutationMs, mutationRows, targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { violationsWithout, removedCondition } from '../support/mutations.ts';
import { seedsFrom } from '../support/random.ts';
import { faultCompany } from './fault-company.ts';
import { type Emphasis, faultRuns } from './fault-run.ts';
import { startFixture } from './fixture.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

vi.mock('../../functions/messaging/store/message.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/store/message.ts')>();
  return {
    ...real,
    createMessage: async (message: StoredMessage) => {
      const written = await real.createMessage(message);
      return written.done || removedCondition.name !== 'claim' ? written : { done: true as const, item: message };
    },
    updateMessage: async (seen: StoredMessage, change: Partial<StoredMessage>, at: number) => {
      let written = await real.updateMessage(seen, change, at);
      while (removedCondition.name === 'revision' && !written.done && written.current)
        written = await real.updateMessage(written.current, change, at);
      return written;
    },
  };
});
vi.mock('../../functions/messaging/domain/send-state.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/domain/send-state.ts')>();
  return {
    ...real,
    isDue: (...args: Parameters<typeof real.isDue>) => removedCondition.name === 'due' || real.isDue(...args),
    isUnconfirmed: (...args: Parameters<typeof real.isUnconfirmed>) => removedCondition.name === 'unknown' || real.isUnconfirmed(...args),
    stateAfterAttempt: (...[seen, sent, at]: Parameters<typeof real.stateAfterAttempt>) =>
      real.stateAfterAttempt(removedCondition.name === 'settling' ? { ...seen, status: 1 } : seen, sent, at),
  };
});
vi.mock('../../functions/messaging/gateway/messages.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/gateway/messages.ts')>();
  return {
    ...real,
    postMessage: async (...args: Parameters<typeof real.postMessage>): Promise<ProviderResult> => {
      const sent = await real.postMessage(...args);
      return removedCondition.name === 'ambiguity' && sent.outcome === 'ambiguous' ? { outcome: 'unsent' } : sent;
    },
  };
});
vi.mock('../../functions/messaging/domain/status.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/domain/status.ts')>();
  const ranks: Record<string, number> = { sent: 2, delivered: 3, read: 4 };
  return {
    ...real,
    applyStatus: (...[message, evidence]: Parameters<typeof real.applyStatus>) =>
      removedCondition.name === 'forward' ? { status: ranks[evidence.status] ?? message.status } : real.applyStatus(message, evidence),
  };
});
vi.mock('../../functions/messaging/service/scheduled-messages.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/service/scheduled-messages.ts')>();
  return {
    ...real,
    failUnconfirmedSend: async (...args: Parameters<typeof real.failUnconfirmedSend>) =>
      removedCondition.name === 'sweep' ? undefined : real.failUnconfirmedSend(...args),
  };
});
vi.mock('../../functions/messaging/store/parked-status.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/store/parked-status.ts')>();
  return {
    ...real,
    putParkedStatus: async (...args: Parameters<typeof real.putParkedStatus>) =>
      removedCondition.name === 'parking' ? undefined : real.putParkedStatus(...args),
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) =>
  (await import('../support/mutations.ts')).withoutCheckpoints(await original()),
);
vi.mock('../../shared/runtime/ids.ts', async (original) => {
  const real = await original<typeof import('../../shared/runtime/ids.ts')>();
  const kindOf = (seed: string): string =>
    seed.startsWith('wamid') ? 'inbound-id' : seed.startsWith('consent:') ? 'answer-id' : 'operation-id';
  return {
    ...real,
    messageId: (at: number, seed: string) => real.messageId(at, removedCondition.name === kindOf(seed) ? `${seed} ${Math.random()}` : seed),
  };
});
vi.mock('../../shared/queue/consume.ts', async (original) =>
  (await import('../support/mutations.ts')).withoutBatchFailures(await original()),
);
vi.mock('../../functions/messaging/service/send-slots.ts', async (original) =>
  (await import('../support/mutations.ts')).withTestTimePacing(await original()),
);

const count = runSize(2, 16);
const fixture = await startFixture({ shards: 4, env: { SWITCHBOARD_LOCAL: '1' } });
afterAll(() => fixture.stop());

const companies = await Promise.all(Array.from({ length: 4 }, () => faultCompany(fixture)));

describe('with crashes, repetitions and late deliveries', () => {
  test(
    `in ${count} runs nobody gets a message twice, nothing acknowledged is lost, no status goes back, counts equal a recount`,
    async () => {
      expect(await faultRuns(fixture, companies, seedsFrom(firstSeed, count))).toEqual([]);
      for (const round of targetedRounds()) {
        // statuses that wait for their message are rare
        const emphasis = round % 2 === 0 ? { sends: 1, earlyStatuses: 1 } : {};
        expect(await faultRuns(fixture, [await faultCompany(fixture)], seedsFrom(50_000 + round * 8, 8), emphasis)).toEqual([]);
      }
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  test.each(
    mutationRows<[what: string, condition: string, expected: RegExp, emphasis: Emphasis]>([
      ['the claim of a new message', 'claim', /twice|rows|went from|ends|nobody knows/, { sends: 1, deaths: 0.9 }],
      ['the revision of a change', 'revision', /twice|went from|ends/, { duplicates: 1 }],
      ['that only what is due is claimed', 'due', /twice|nobody knows|went from|ends/, { sends: 1, duplicates: 1 }],
      ['that only what is unknown is flagged', 'unknown', /ends|went from/, { sends: 1, deaths: 0, earlyStatuses: 1 }],
      ['that evidence is faster than an answer', 'settling', /went from/, { sends: 1, deaths: 0, earlyStatuses: 1 }],
      ['that an unknown outcome is no refusal', 'ambiguity', /nobody knows|twice/, { sends: 1 }],
      ['the order of statuses', 'forward', /went from|ends/, {}],
      ['the look two minutes after a claim', 'sweep', /ends in 1/, { sends: 1 }],
      ['that a status waits for its message', 'parking', /ends/, { sends: 1, deaths: 0, earlyStatuses: 1 }],
      ['the checkpoints of folded changes', 'checkpoints', /recounted/, { duplicates: 1 }],
      ['the id of an inbound message', 'inbound-id', /rows/, { sends: 0, duplicates: 1 }],
      ['the id of an answer to a word of consent', 'answer-id', /answer/, { sends: 0, stops: 1, duplicates: 1 }],
      ['the id of an operation', 'operation-id', /twice|rows/, { sends: 1, deaths: 0.9 }],
      ['that what failed comes again', 'failures', /lost|rows|ends|answers|told|kept|recorded/, { sends: 0, deaths: 0.9 }],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, condition, expected, emphasis) => {
      const fresh = [await faultCompany(fixture)];
      const first = 100_000 + condition.length * 7_000 + (condition.codePointAt(0) ?? 0) * 40;
      const noticed = await violationsWithout(condition, expected, 20, async (round) =>
        (await faultRuns(fixture, fresh, seedsFrom(first + round * 2, 2), { isSoon: true, ...emphasis })).map(({ what }) => what),
      );
      expect(noticed).toMatch(expected);
    },
    mutationMs,
  );
});
