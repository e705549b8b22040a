import { afterAll, describe, expect, test, vi } from 'vitest';
import { changesContext, dispatchContext } from '../../functions/app.ts';
import { messagingContext } from '../../functions/messaging/context.ts';
import { codesQueue, expiriesQueue, oneClickQueue } from '../../functions/verification/contract/work.ts';
import { verificationContext } from '../../functions/verification/context.ts';
import { mutationMs, mutationRows, targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { violationsWithout, removedCondition } from '../support/mutations.ts';
import { seedsFrom } from '../support/random.ts';
import { type Emphasis, faultRuns, newCallers } from './fault-run.ts';
import { startFixture } from './fixture.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

vi.mock('../../functions/verification/service/send-code.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/service/send-code.ts')>();
  const { excuseMessage } = await import('./fault-recorder.ts');
  const injected = /^(Crash|Conflict|ThrottlingException|InternalServerError|TransactionCanceledException|TimeoutError)$/;
  return {
    ...real,
    // a crash or an injected fault may leave a claimed send unsent; any other error excuses nothing
    sendCode: async (...args: Parameters<typeof real.sendCode>) =>
      real.sendCode(...args).catch((error: unknown) => {
        if (error instanceof Error && injected.test(error.name)) excuseMessage(args[0].requestId);
        throw error;
      }),
  };
});
vi.mock('../../functions/verification/store/request.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/store/request.ts')>();
  const { excuseMessage } = await import('./fault-recorder.ts');
  return {
    ...real,
    // a message that did not leave is given up where a later one with the same code has the claim
    releaseSend: async (...args: Parameters<typeof real.releaseSend>) => {
      const isReleased = await real.releaseSend(...args);
      if (!isReleased) excuseMessage(args[1]);
      return isReleased;
    },
    claimSend: async (...args: Parameters<typeof real.claimSend>) => {
      const claimed = await real.claimSend(...args);
      if (removedCondition.name !== 'claim' || claimed.done || claimed.current?.status !== 'pending') return claimed;
      return { done: true as const, item: claimed.current };
    },
    updateRequestToFinished: async (...[companyId, id, set, stillSo]: Parameters<typeof real.updateRequestToFinished>) => {
      const ended = await real.updateRequestToFinished(companyId, id, set, stillSo);
      if (removedCondition.name !== 'end' || ended.done) return ended;
      return real.requestEntity.change({ companyId, id }, { set, remove: ['sealedCode'] });
    },
  };
});
vi.mock('../../functions/verification/store/request-budget.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/store/request-budget.ts')>();
  return {
    ...real,
    reserveAttempt: async (...args: Parameters<typeof real.reserveAttempt>) => {
      const condition = removedCondition.name === 'guess' ? await real.getRequestBudget(args[0], { consistent: true }) : undefined;
      return condition ? { done: true as const, item: condition } : real.reserveAttempt(...args);
    },
    updateRequestResult: async (...[budget, requestId, set]: Parameters<typeof real.updateRequestResult>) => {
      const ended = await real.updateRequestResult(budget, requestId, set);
      return ended.done || removedCondition.name !== 'end' ? ended : real.requestBudgetEntity.change(budget, { set });
    },
  };
});
vi.mock('../../functions/verification/domain/request-result.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/domain/request-result.ts')>();
  return {
    ...real,
    resultIn: (...args: Parameters<typeof real.resultIn>) => (removedCondition.name === 'end' ? undefined : real.resultIn(...args)),
  };
});
vi.mock('../../functions/verification/service/end-request.ts', async (original) => {
  const real = await original<typeof import('../../functions/verification/service/end-request.ts')>();
  return {
    endRequest: async (...args: Parameters<typeof real.endRequest>) =>
      removedCondition.name === 'expiry' ? undefined : real.endRequest(...args),
  };
});
vi.mock('../../functions/changes/domain.ts', async (original) =>
  (await import('../support/mutations.ts')).withoutCheckpoints(await original()),
);
vi.mock('../../functions/messaging/service/send-slots.ts', async (original) =>
  (await import('../support/mutations.ts')).withTestTimePacing(await original()),
);

const count = runSize(1, 8);
const fixture = await startFixture({
  shards: 4,
  contexts: [
    { ...messagingContext, functions: messagingContext.functions.filter(({ name }) => /-(webhook|updates)$/.test(name)) },
    changesContext,
    dispatchContext,
    verificationContext,
  ],
  env: { SITEVERIFY_URL: 'https://captcha.example/siteverify' },
});
afterAll(() => fixture[Symbol.asyncDispose]());

const callers = await newCallers(fixture);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs no code proves twice, no guess is free, no message goes twice or is forgotten, every end is told once`,
    async () => {
      expect(await faultRuns(fixture, callers, seedsFrom(firstSeed, count))).toEqual([]);
      // new companies: a first contact is met once in each
      for (const round of targetedRounds())
        expect(await faultRuns(fixture, await newCallers(fixture), seedsFrom(50_000 + round * 6, 6))).toEqual([]);
      for (const queue of [codesQueue, expiriesQueue, oneClickQueue]) expect(fixture.world.deadLettersOf(queue)).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  test.each(
    mutationRows<[what: string, condition: string, expected: RegExp, emphasis: Emphasis]>([
      ['the claim of a message', 'claim', /twice/, { duplicates: 1, brief: true }],
      ['that a request ends once', 'end', /went from/, { attempts: 0.6, rightCodes: 0.6, brief: true }],
      ['the count of a guess', 'guess', /guesses/, { attempts: 0.8, brief: true }],
      ['the look at what is over', 'expiry', /pending after/, {}],
      [
        'the checkpoints of folded proofs',
        'checkpoints',
        /recounted/,
        { duplicates: 1, crashes: 0, attempts: 0.8, rightCodes: 0.9, brief: true },
      ],
    ]),
  )(
    'the runs notice when %s is not guarded',
    async (_, condition, expected, emphasis) => {
      const first = 100_000 + condition.length * 7_000 + (condition.codePointAt(0) ?? 0) * 40;
      const noticed = await violationsWithout(condition, expected, 15, (round) =>
        faultRuns(fixture, callers, seedsFrom(first + round * 2, 2), emphasis),
      );
      expect(noticed).toMatch(expected);
    },
    mutationMs,
  );
});
