import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { StoredRecipientBatch } from '../../functions/campaigns/contract/stored.ts';
import { currentFunction, mutationMs, mutationRows, targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { violationsWithout, removedCondition } from '../support/mutations.ts';
import type { TestCompany } from '../support/company.ts';
import { type Emphasis, faultRuns, type Violation } from './fault-run.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

vi.mock('../../functions/messaging/service/campaign-recipients.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/service/campaign-recipients.ts')>();
  return {
    ...real,
    claimRecipient: async (...args: Parameters<typeof real.claimRecipient>): ReturnType<typeof real.claimRecipient> => {
      const claimed = await real.claimRecipient(...args);
      return removedCondition.name === 'claim' ? { ...claimed, isNew: true } : claimed;
    },
    scheduleClaimChecks: async (...args: Parameters<typeof real.scheduleClaimChecks>) =>
      removedCondition.name === 'watch' ? undefined : real.scheduleClaimChecks(...args),
  };
});
vi.mock('../../functions/campaigns/store/recipient-batch.ts', async (original) => {
  const real = await original<typeof import('../../functions/campaigns/store/recipient-batch.ts')>();
  return {
    ...real,
    getRecipientBatch: async (...args: Parameters<typeof real.getRecipientBatch>): Promise<StoredRecipientBatch | undefined> => {
      const batch = await real.getRecipientBatch(...args);
      return batch && removedCondition.name === 'lease' ? { ...batch, lease: undefined } : batch;
    },
  };
});
vi.mock('../../functions/campaigns/store/campaign.ts', async (original) => {
  const real = await original<typeof import('../../functions/campaigns/store/campaign.ts')>();
  return {
    ...real,
    getCampaign: async (...args: Parameters<typeof real.getCampaign>) => {
      const campaign = await real.getCampaign(...args);
      const isRemoved = removedCondition.name === 'pause' && currentFunction()?.name === 'campaign-blocks';
      return campaign && isRemoved ? { ...campaign, status: 'sending' as const } : campaign;
    },
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) =>
  (await import('../support/mutations.ts')).withoutCheckpoints(await original()),
);
vi.mock('../../functions/messaging/service/send-slots.ts', async (original) =>
  (await import('../support/mutations.ts')).withTestTimePacing(await original()),
);

let stage: CampaignFixture;
const companies: TestCompany[] = [];

beforeAll(async () => {
  stage = await startFixture({ shards: 4 });
  for (let index = 0; index < 4; index++) companies.push(await stage.campaigner());
});
afterAll(() => stage.stop());

const count = runSize(1, 8);

/** A failure says each violation whole. */
const asText = (violations: readonly Violation[]): string => violations.map(({ seed, what }) => `${seed}: ${what}`).join('\n');

describe('whatever dies on the way', () => {
  test(`no recipient has two messages, none is lost, the counters are the rows: ${count} seeds`, {
    timeout: 120_000 + count * 60_000 + targetedRoundsMs,
  }, async () => {
    const seeds = Array.from({ length: count }, (_, index) => firstSeed + index);
    expect(asText(await faultRuns(stage, companies, seeds))).toBe('');
    for (const round of targetedRounds())
      expect(
        asText(
          await faultRuns(
            stage,
            // some records are made once a company
            [await stage.campaigner()],
            [0, 1, 2, 3].map((each) => 50_000 + round * 4 + each),
          ),
        ),
      ).toBe('');
  });

  test.each(
    mutationRows<[what: string, condition: string, expected: RegExp, emphasis: Emphasis]>([
      ['the claim of a recipient', 'claim', /has \d+ messages/, { copies: 0.7 }],
      ['that a worker died over a batch', 'lease', /skipped|rows/, { stops: 0.45, deaths: 0.9 }],
      ['the look for a pause before slots', 'pause', /after a pause/, { pauses: 0.7 }],
      ['the look at claims that nobody settled', 'watch', /ends|open/, { deaths: 0.9 }],
      ['the checkpoints of folded changes', 'checkpoints', /recounted/, {}],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, condition, expected, emphasis) => {
      const fresh = [await stage.campaigner()];
      const from = 100_000 + (condition.codePointAt(0) ?? 0) * 100;
      const noticed = await violationsWithout(condition, expected, 30, async (round) =>
        (await faultRuns(stage, fresh, [from + round], { isSoon: true, ...emphasis })).map(({ what }) => what),
      );
      expect(noticed).toMatch(expected);
    },
    mutationMs,
  );
});
