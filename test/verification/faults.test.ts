import { afterAll, describe, expect, test, vi } from 'vitest';
import { changesContext } from '../../functions/changes/context.ts';
import { dispatchContext } from '../../functions/dispatch/context.ts';
import { messagingContext } from '../../functions/messaging/context.ts';
import { codesQueue, expiriesQueue, oneClickQueue } from '../../functions/verification/contract/work.ts';
import { verificationContext } from '../../functions/verification/context.ts';
import { guardRows, visitMs, visits } from '../support/fault-points.ts';
import { noticedWithout, removed } from '../support/guards.ts';
import { seedsFrom } from '../support/random.ts';
import { type Emphasis, faultRuns, newCallers } from './fault-run.ts';
import { startStage } from './stage.ts';

vi.mock('../../functions/verification/service/sending.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/service/sending.ts')>();
  const { didNotGo } = await import('./fault-witness.ts');
  return {
    ...real,
    // a process that dies here has perhaps sent, perhaps not
    sendCode: async (...args: Parameters<typeof real.sendCode>) =>
      real.sendCode(...args).catch((error: unknown) => {
        didNotGo(args[0].requestId);
        throw error;
      }),
  };
});
vi.mock('../../functions/verification/store/request.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/store/request.ts')>();
  return {
    ...real,
    claimSend: async (...args: Parameters<typeof real.claimSend>) => {
      const claimed = await real.claimSend(...args);
      if (removed.guard !== 'claim' || claimed.done || claimed.current?.status !== 'pending') return claimed;
      return { done: true as const, item: claimed.current };
    },
    endRequest: async (...[companyId, id, set, stillSo]: Parameters<typeof real.endRequest>) => {
      const ended = await real.endRequest(companyId, id, set, stillSo);
      if (removed.guard !== 'end' || ended.done) return ended;
      return real.requestEntity.change({ companyId, id }, { set, remove: ['sealedCode'] });
    },
  };
});
vi.mock('../../functions/verification/store/guard.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/store/guard.ts')>();
  return {
    ...real,
    countGuess: async (...args: Parameters<typeof real.countGuess>) => {
      const guard = removed.guard === 'guess' ? await real.findGuard(args[0], { consistent: true }) : undefined;
      return guard ? { done: true as const, item: guard } : real.countGuess(...args);
    },
  };
});
vi.mock('../../functions/verification/service/expiring.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/service/expiring.ts')>();
  return { expire: async (...args: Parameters<typeof real.expire>) => (removed.guard === 'expiry' ? undefined : real.expire(...args)) };
});
vi.mock('../../functions/changes/domain.ts', async (original) => (await import('../support/guards.ts')).withoutMarks(await original()));
vi.mock('../../functions/messaging/service/pacing.ts', async (original) =>
  (await import('../support/guards.ts')).inTestTime(await original()),
);

const count = Number(process.env['SEEDS'] ?? 6);
const stage = await startStage({
  shards: 3,
  contexts: [
    { ...messagingContext, functions: messagingContext.functions.filter(({ name }) => /-(webhook|updates)$/.test(name)) },
    changesContext,
    dispatchContext,
    verificationContext,
  ],
  env: { SITEVERIFY_URL: 'https://captcha.example/siteverify' },
});
afterAll(() => stage[Symbol.asyncDispose]());

const callers = await newCallers(stage);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs no code proves twice, no guess is free, no message goes twice or is forgotten, every end is told once`,
    async () => {
      expect(await faultRuns(stage, callers, seedsFrom(1, count))).toEqual([]);
      // new companies: a first contact is met once in each
      for (const round of visits()) expect(await faultRuns(stage, await newCallers(stage), seedsFrom(50_000 + round * 6, 6))).toEqual([]);
      for (const queue of [codesQueue, expiriesQueue, oneClickQueue]) expect(stage.world.dead(queue)).toEqual([]);
    },
    60_000 + count * 5_000 + visitMs,
  );

  test.each(
    guardRows<[what: string, guard: string, expected: RegExp, emphasis: Emphasis]>([
      ['the claim of a message', 'claim', /twice/, { duplicates: 1, brief: true }],
      ['that a request ends once', 'end', /went from/, { guesses: 0.6, rights: 0.6, brief: true }],
      ['the count of a guess', 'guess', /guesses/, { guesses: 0.8, brief: true }],
      ['the look at what is over', 'expiry', /pending after/, {}],
      [
        'the checkpoints of folded proofs',
        'checkpoints',
        /recounted/,
        { duplicates: 1, deaths: 0, guesses: 0.8, rights: 0.9, brief: true },
      ],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, guard, expected, emphasis) => {
      const first = 100_000 + guard.length * 7_000 + (guard.codePointAt(0) ?? 0) * 40;
      const noticed = await noticedWithout(guard, expected, 15, (round) =>
        faultRuns(stage, callers, seedsFrom(first + round * 2, 2), emphasis),
      );
      expect(noticed).toMatch(expected);
    },
    120_000,
  );
});
