import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { checkpoints, type Condition, holdsBy } from '../support/mutation.ts';
import { waitInTestTime } from '../support/slots.ts';
import type { TestCompany } from '../support/company.ts';
import { type Emphasis, faultRuns, type Violation } from './fault-run.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

waitInTestTime();

let fixture: CampaignFixture;
const companies: TestCompany[] = [];

beforeAll(async () => {
  fixture = await startFixture({ shards: 4 });
  for (let index = 0; index < 4; index++) companies.push(await fixture.campaigner());
});
afterAll(() => fixture.stop());

const count = runSize(1, 8);

/** A failure says each violation whole. */
const asText = (violations: readonly Violation[]): string => violations.map(({ seed, what }) => `${seed}: ${what}`).join('\n');

describe('whatever dies on the way', () => {
  test(`no recipient has two messages, none is lost, the counters are the rows: ${count} seeds`, {
    timeout: 120_000 + count * 60_000 + targetedRoundsMs,
  }, async () => {
    const seeds = Array.from({ length: count }, (_, index) => firstSeed + index);
    expect(asText(await faultRuns(fixture, companies, seeds))).toBe('');
    for (const round of targetedRounds())
      expect(
        asText(
          await faultRuns(
            fixture,
            // some records are made once a company
            [await fixture.campaigner()],
            [0, 1, 2, 3].map((each) => 50_000 + round * 4 + each),
          ),
        ),
      ).toBe('');
  });

  const holds = (name: string, condition: Condition, expected: RegExp, seed: number, emphasis: Emphasis): void => {
    let company: Promise<TestCompany> | undefined;
    holdsBy(name, condition, expected, 30, async (round) => {
      const fresh = [await (company ??= fixture.campaigner())];
      return (await faultRuns(fixture, fresh, [seed + round], { isSoon: true, ...emphasis })).map(({ what }) => what);
    });
  };

  holds(
    'the claim of a recipient',
    { in: 'functions/campaigns/service/send-to-recipients.ts', replace: 'if (isNew) return message;', by: 'return message;' },
    /has \d+ messages/,
    109_900,
    { stalls: 0.7 },
  );
  holds(
    'that a worker died over a batch',
    {
      in: 'functions/campaigns/store/recipient-batch.ts',
      replace: 'recipientBatchEntity.get({ companyId, campaignId, batch }, { consistent })',
      by: 'recipientBatchEntity.get({ companyId, campaignId, batch }, { consistent }).then((found) => found && { ...found, lease: undefined })',
    },
    /skipped|rows/,
    110_800,
    { stops: 0.45, deaths: 0.9 },
  );
  holds(
    'the look for a pause before slots',
    {
      in: 'functions/campaigns/service/send-to-recipients.ts',
      replace: "if (campaign === undefined || !mayContinue(campaign, command)) return 'paused';",
      by: "if (campaign === undefined) return 'paused';",
    },
    /after a pause/,
    111_200,
    { pauses: 0.7 },
  );
  holds(
    'the look at claims without a result',
    {
      in: 'functions/messaging/service/campaign-recipients.ts',
      replace: '.filter(({ status }) => status === messageStatuses.processing)',
      by: '.filter(() => false)',
    },
    /ends|open/,
    111_900,
    { deaths: 0.9 },
  );
  holds('the checkpoints of folded changes', checkpoints, /recounted/, 109_900, {});
});
