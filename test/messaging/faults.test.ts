import { afterAll, describe, expect, test } from 'vitest';
import { targetedRoundsMs, targetedRounds } from '../support/crash-points.ts';
import { checkpoints, type Condition, failuresComeAgain, holdsBy } from '../support/mutation.ts';
import { seedsFrom } from '../support/random.ts';
import { waitInTestTime } from '../support/slots.ts';
import { faultCompany } from './fault-company.ts';
import { type Emphasis, faultRuns } from './fault-run.ts';
import { startFixture } from './fixture.ts';
import { firstSeed, runSize } from '../support/run-size.ts';

waitInTestTime();

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

  const holds = (name: string, condition: Condition, expected: RegExp, seed: number, emphasis: Emphasis): void => {
    let company: ReturnType<typeof faultCompany> | undefined;
    holdsBy(name, condition, expected, 20, async (round) => {
      const fresh = [await (company ??= faultCompany(fixture))];
      const violations = await faultRuns(fixture, fresh, seedsFrom(seed + round * 2, 2), { isSoon: true, ...emphasis });
      return violations.map(({ what }) => what);
    });
  };

  holds(
    'the claim of a new message',
    { in: 'functions/messaging/store/message.ts', replace: 'messageEntity.put(message, missing())', by: 'messageEntity.put(message)' },
    /twice|rows|went from|ends|outcome is unknown/,
    138_960,
    { sends: 1, deaths: 0.9 },
  );
  holds(
    'the revision of a change',
    {
      in: 'functions/messaging/store/message.ts',
      replace: "all(equals('rev', seen.rev), equals('id', seen.id))",
      by: "equals('id', seen.id)",
    },
    /twice|went from|ends/,
    160_560,
    { duplicates: 1 },
  );
  holds(
    'that only what is due is claimed',
    {
      in: 'functions/messaging/domain/send-state.ts',
      replace: 'message.status === messageStatuses.scheduled && message.dueAt === dueAtMs',
      by: 'true',
    },
    /twice|outcome is unknown|went from|ends/,
    125_000,
    { sends: 1, duplicates: 1 },
  );
  holds(
    'that only what is unknown is flagged',
    { in: 'functions/messaging/domain/send-state.ts', replace: 'isClaimed(message) && message.attempt === attempt', by: 'true' },
    /ends|went from/,
    153_680,
    { sends: 1, deaths: 0, earlyStatuses: 1 },
  );
  holds(
    'that evidence is faster than an answer',
    {
      in: 'functions/messaging/domain/send-state.ts',
      replace: 'const isStillClaimed = isClaimed(seen);',
      by: 'const isStillClaimed = true;',
    },
    /went from/,
    160_600,
    { sends: 1, deaths: 0, earlyStatuses: 1 },
  );
  holds(
    'that an unknown outcome is no refusal',
    { in: 'functions/messaging/gateway/messages.ts', replace: "return { outcome: 'ambiguous' };", by: "return { outcome: 'unsent' };" },
    /outcome is unknown|twice/,
    166_880,
    { sends: 1 },
  );
  holds(
    'the order of statuses',
    {
      in: 'functions/messaging/domain/status.ts',
      replace: 'if (isUnsettled || (message.status < rank && message.status !== messageStatuses.failed)) change.status = rank;',
      by: 'change.status = rank;',
    },
    /went from|ends/,
    153_080,
    {},
  );
  holds(
    'the look two minutes after a claim',
    {
      in: 'functions/messaging/service/scheduled-messages.ts',
      replace: 'const flagged = await updateMessageWhile(message, isUnconfirmedAttempt(reference), (_, at) => unconfirmedFailure(at));',
      by: 'const flagged = false;',
    },
    /ends in 1/,
    139_600,
    { sends: 1 },
  );
  holds(
    'that a status waits for its message',
    { in: 'functions/messaging/store/parked-status.ts', replace: 'await parkedStatusEntity.put(parked);', by: '' },
    /ends/,
    153_480,
    { sends: 1, deaths: 0, earlyStatuses: 1 },
  );
  holds('the checkpoints of folded changes', checkpoints, /recounted/, 180_960, { duplicates: 1 });
  holds(
    'the id of an inbound message',
    {
      in: 'functions/messaging/service/receive-message.ts',
      replace: 'id: messageId(at, message.id),',
      by: 'id: messageId(at, `${message.id} ${Math.random()}`),',
    },
    /rows/,
    174_200,
    { sends: 0, duplicates: 1 },
  );
  holds(
    'the id of an answer to a word of consent',
    {
      in: 'functions/messaging/service/apply-consent-keyword.ts',
      replace: 'operationId: `consent:${message.wamid}`',
      by: 'operationId: `consent:${message.wamid} ${Math.random()}`',
    },
    /answer/,
    166_880,
    { sends: 0, stops: 1, duplicates: 1 },
  );
  holds(
    'the id of an operation',
    {
      in: 'functions/messaging/domain/outbound-message.ts',
      replace: '`${owner.operationId}:${salt}`',
      by: '`${owner.operationId}:${salt} ${Math.random()}`',
    },
    /twice|rows/,
    188_440,
    { sends: 1, deaths: 0.9 },
  );
  holds('that what failed comes again', failuresComeAgain, /lost|rows|ends|answers|stored|recorded/, 160_080, { sends: 0, deaths: 0.9 });
});
