import { afterAll, describe, expect, test, vi } from 'vitest';
import type { StoredConversation } from '../../functions/conversations/contract/stored.ts';
import type { StoredKeywords } from '../../functions/messaging/store/keywords.ts';
import { startFixture } from '../messaging/fixture.ts';
import { mutationMs, mutationRows, targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { violationsWithout, removedCondition } from '../support/mutations.ts';
import { seedsFrom } from '../support/random.ts';
import { type Emphasis, faultRuns, newDesk, writeMany } from './fault-run.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

vi.mock('../../functions/conversations/store.ts', async (original) => {
  const real = await original<typeof import('../../functions/conversations/store.ts')>();
  return {
    ...real,
    changeConversation: async (seen: StoredConversation, change: Partial<StoredConversation>) => {
      let written = await real.changeConversation(seen, change);
      while (removedCondition.name === 'revision' && !written.done && written.current)
        written = await real.changeConversation(written.current, change);
      return written;
    },
  };
});
vi.mock('../../functions/messaging/store/keywords.ts', async (original) => {
  const real = await original<typeof import('../../functions/messaging/store/keywords.ts')>();
  return {
    ...real,
    putStoredKeywords: async (keywords: StoredKeywords, seen: StoredKeywords | undefined) => {
      let written = await real.putStoredKeywords(keywords, seen);
      while (removedCondition.name === 'words' && !written.done && written.current)
        written = await real.putStoredKeywords(keywords, written.current);
      return written;
    },
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) =>
  (await import('../support/mutations.ts')).withoutCheckpoints(await original()),
);
vi.mock('../../functions/conversations/domain.ts', async (original) => {
  const real = await original<typeof import('../../functions/conversations/domain.ts')>();
  return {
    ...real,
    applyMessage: (...[row, message]: Parameters<typeof real.applyMessage>) => {
      if (removedCondition.name !== 'reading' || row?.readAt === undefined) return real.applyMessage(row, message);
      return { ...real.applyMessage({ ...row, readAt: 0 }, message), readAt: row.readAt };
    },
  };
});

const count = runSize(1, 8);
const stage = await startFixture({ shards: 4 });
afterAll(() => stage.stop());

describe('whoever reads, closes or gives away while others do', () => {
  test(
    `in ${count} runs conversations equal a recount of their messages, and are as they were last asked to be`,
    async () => {
      expect(await faultRuns(stage, await newDesk(stage), seedsFrom(firstSeed, count))).toEqual([]);
      const desk = await newDesk(stage);
      for (const round of targetedRounds()) {
        if (round === 0) await writeMany(stage, desk);
        expect(await faultRuns(stage, desk, seedsFrom(50_000 + round * 8, 8), { listReads: 12 })).toEqual([]);
      }
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  test.each(
    mutationRows<[what: string, condition: string, expected: RegExp, emphasis: Emphasis]>([
      ['the revision of a change', 'revision', /assignee|is not hidden|no read receipt/, { meddling: 1, reads: 0.1 }],
      ['that nobody else set the words', 'words', /^st(op|art):/m, { meddling: 1, words: 1 }],
      ['the checkpoints of folded changes', 'checkpoints', /unread|total/, {}],
      ['what was read before it was counted', 'reading', /unread/, { reads: 0.8 }],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, condition, expected, emphasis) => {
      const desk = await newDesk(stage);
      const first = 100_000 + condition.length * 1_000;
      const noticed = await violationsWithout(condition, expected, 20, (round) =>
        faultRuns(stage, desk, seedsFrom(first + round * 3, 3), { isSoon: true, ...emphasis }),
      );
      expect(noticed).toMatch(expected);
    },
    mutationMs,
  );
});
