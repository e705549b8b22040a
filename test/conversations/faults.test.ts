import { afterAll, describe, expect, test } from 'vitest';
import { startFixture } from '../messaging/fixture.ts';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { checkpoints, type Condition, holdsBy } from '../support/mutation.ts';
import { seedsFrom } from '../support/random.ts';
import { type Emphasis, faultRuns, newDesk, writeMany } from './fault-run.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

const count = runSize(1, 8);
const fixture = await startFixture({ shards: 4 });
afterAll(() => fixture.stop());

describe('whoever reads, closes or gives away while others do', () => {
  test(
    `in ${count} runs conversations equal a recount of their messages, and are as they were last asked to be`,
    async () => {
      expect(await faultRuns(fixture, await newDesk(fixture), seedsFrom(firstSeed, count))).toEqual([]);
      const desk = await newDesk(fixture);
      for (const round of targetedRounds()) {
        if (round === 0) await writeMany(fixture, desk);
        expect(await faultRuns(fixture, desk, seedsFrom(50_000 + round * 8, 8), { listReads: 12 })).toEqual([]);
      }
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  const holds = (name: string, condition: Condition, expected: RegExp, seed: number, emphasis: Emphasis): void => {
    let desk: ReturnType<typeof newDesk> | undefined;
    holdsBy(name, condition, expected, 20, async (round) =>
      faultRuns(fixture, await (desk ??= newDesk(fixture)), seedsFrom(seed + round * 3, 3), { isSoon: true, ...emphasis }),
    );
  };

  holds(
    'the revision of a change',
    {
      in: 'functions/conversations/store/conversation.ts',
      replace: "rev: seen.rev + 1 } }, any(equals('rev', seen.rev), missing('rev')))",
      by: 'rev: seen.rev + 1 } })',
    },
    /assignee|is not hidden|no read receipt/,
    108_000,
    { meddling: 1, reads: 0.1 },
  );
  holds(
    'that no other user set the words',
    {
      in: 'functions/messaging/store/keywords.ts',
      replace: "keywordsEntity.put(keywords, seen ? equals('updatedAt', seen.updatedAt) : missing())",
      by: 'keywordsEntity.put(keywords)',
    },
    /^st(op|art):/m,
    105_000,
    { meddling: 1, words: 1 },
  );
  holds('the checkpoints of folded changes', checkpoints, /unread|total/, 111_000, {});
  holds(
    'what was read before it was counted',
    {
      in: 'functions/conversations/domain/conversation.ts',
      replace: 'const isRead = summary.readAt !== undefined && message.updatedAt <= summary.readAt;',
      by: 'const isRead = false;',
    },
    /unread/,
    107_000,
    { reads: 0.8 },
  );
});
