import { afterAll, describe, expect, test } from 'vitest';
import { changeStreamContext, dueWorkContext } from '../../functions/app.ts';
import { messagingContext } from '../../functions/messaging/context.ts';
import { codesQueue, expiriesQueue, oneClickQueue } from '../../functions/verification/contract/work.ts';
import { verificationContext } from '../../functions/verification/context.ts';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { checkpoints, type Condition, holdsBy } from '../support/mutation.ts';
import { seedsFrom } from '../support/random.ts';
import { waitInTestTime } from '../support/slots.ts';
import { excuseWhatFails } from './fault-excuses.ts';
import { type Emphasis, faultRuns, newCallers } from './fault-run.ts';
import { startFixture } from './fixture.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

waitInTestTime();
excuseWhatFails();

const count = runSize(1, 8);
const fixture = await startFixture({
  shards: 4,
  contexts: [
    { ...messagingContext, functions: messagingContext.functions.filter(({ name }) => /-(webhook|updates)$/.test(name)) },
    changeStreamContext,
    dueWorkContext,
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
      for (const queue of [codesQueue, expiriesQueue, oneClickQueue]) expect(fixture.testApp.deadLettersOf(queue)).toEqual([]);
    },
    120_000 + count * 60_000 + targetedRoundsMs,
  );

  const holds = (name: string, condition: Condition, expected: RegExp, seed: number, emphasis: Emphasis): void =>
    holdsBy(name, condition, expected, 15, (round) => faultRuns(fixture, callers, seedsFrom(seed + round * 2, 2), emphasis));

  holds(
    'the claim of a message',
    [
      {
        in: 'functions/verification/store/request.ts',
        replace: "any(missing('claimedSend'), below('claimedSend', send))",
        by: "any(missing('claimedSend'), atLeast('claimedSend', 0))",
      },
      // before it claims, a worker looks whether another one has the claim
      { in: 'functions/verification/service/send-code.ts', replace: ' || request.claimedSend >= send', by: '' },
    ],
    /twice/,
    138_960,
    { duplicates: 1, brief: true },
  );
  holds(
    'that a request ends once',
    [
      {
        in: 'functions/verification/store/request.ts',
        replace: "all(\n        equals('status', 'pending'),",
        by: "all(\n        atLeast('expiresAt', 0),",
      },
      {
        in: 'functions/verification/store/request-budget.ts',
        replace: "requestBudgetEntity.change(budget, { set }, all(equals('rev', budget.rev), isOpen(requestId)))",
        by: 'requestBudgetEntity.change(budget, { set })',
      },
      {
        in: 'functions/verification/service/finish-request.ts',
        replace: 'const before = resultIn(id, budget);',
        by: 'const before = undefined;',
      },
    ],
    /went from/,
    125_040,
    { attempts: 0.6, rightCodes: 0.6, brief: true },
  );
  holds(
    'the count of a guess',
    {
      in: 'functions/verification/store/request-budget.ts',
      replace: 'add: { ...call.change.add, ...attempt.add, [field]: 1, [ofSource]: 1 }',
      by: 'add: call.change.add',
    },
    /guesses/,
    139_120,
    { attempts: 0.8, brief: true },
  );
  holds(
    'the look at what is over',
    {
      in: 'functions/verification/worker/expiries.ts',
      replace: 'endRequest(company_id, request_id, verified)',
      by: 'Promise.resolve()',
    },
    /pending after/,
    146_040,
    {},
  );
  holds('the checkpoints of folded proofs', checkpoints, /recounted/, 180_960, {
    duplicates: 1,
    crashes: 0,
    attempts: 0.8,
    rightCodes: 0.9,
    brief: true,
  });
});
