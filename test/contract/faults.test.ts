import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../support/gateway-event.ts';
import { targeted } from '../support/crash-points.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { kindOf } from '../support/golden.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { clearProcessMemory } from '../../shared/runtime/memory.ts';
import { seeded } from '../support/random.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { listener } from './examples-webhooks.ts';
import { allRoutes, codeOf, type ContractFixture, expectContract, type NamedRoute, rowsOf, startFixture, whereShared } from './fixture.ts';

/**
 * Every route, while the process that answers crashes before or after any of its calls to the outside: the client, without an answer, calls
 * again, under the same key, until it is answered. What the table has more of afterwards must be what an undisturbed call adds.
 * In the quick suite one drawn step, and so compared are a fifth of the routes that write and of the scenarios, and one route that reads of each function;
 * the others die at one of their first calls, and are answered. When `npm run test:all` runs it, every step of every route, one after the other, until the route has no more, and then the workers
 * that go on with it.
 */
const isWhole = process.env['SEEDS'] !== undefined;
const mostSteps = 60;
/** Longer than any lease, and than any queue's delay. */
const presumedStoppedMs = 16 * 60_000;
let fixture: ContractFixture;
let receiver: Receiver;
beforeAll(async () => {
  // what is published at once is published in every run; what has to be tried again is not
  receiver = await startReceiver();
  listener.url = receiver.url;
  // several at full size: each writes its own part of what is counted
  fixture = await startFixture({ shards: isWhole ? 4 : 1, env: { SWITCHBOARD_LOCAL: '1' } });
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const crashes = crashInjection({ livesBetweenVisits: 1 });

interface RouteOrScenario {
  named: NamedRoute;
  scenario?: Scenario;
  /** Whether what it adds is compared. */
  isCompared: boolean;
}

const isWrite = ({ route }: NamedRoute): boolean => route.effect === 'write';
/** Of the routes of each function and kind of caller every fifth, the first among them. */
const compared = new Set(
  [...Map.groupBy(allRoutes.filter(isWrite), ({ functionName, route }) => `${functionName} ${route.caller.kind}`).values()].flatMap(
    (each) => each.filter((_, at) => isWhole || at % 5 === 0),
  ),
);
const routesAndScenarios: [string, RouteOrScenario][] = [
  ...rowsOf([
    ...allRoutes.filter(isWrite),
    ...whereShared(
      allRoutes.filter((named) => !isWrite(named)),
      isWhole,
    ),
  ]).map(([title, named]): [string, RouteOrScenario] => [title, { named, isCompared: !isWrite(named) || compared.has(named) }]),
  ...scenarios.flatMap((extra) =>
    rowsOf(allRoutes.filter(({ name }) => name === extra.route)).map(([title, named]): [string, RouteOrScenario] => [
      `${title}: ${extra.title}`,
      { named, scenario: extra, isCompared: isWhole || scenarios.indexOf(extra) % 5 === 0 },
    ]),
  ),
];

describe.each(routesAndScenarios.filter(([, { isCompared }]) => !isCompared))('%s', (title, way) => {
  test('is answered after a death', async () => {
    let hasDied = false;
    // a call may have fewer steps than this, and not die at it
    for (let step = drawnStep(title, 12), nth = 0; !hasDied; step = Math.ceil(step / 2), nth++) {
      ({ hasDied } = await disturbed(way, step, nth));
      expect(hasDied || step > 1, 'the process died').toBe(true);
    }
  });
});

describe.each(routesAndScenarios.filter(([, { isCompared }]) => isCompared))('%s', (title, way) => {
  test('answered after a death, adds what it adds undisturbed', { timeout: 300_000 }, async () => {
    if (isWhole && way.scenario?.next) await doEarlierWork();
    const first = await undisturbed(way, 'first');
    const isRepeatable = way.named.name in repeatableBySecondTry || way.scenario?.repeatable !== undefined;
    if (!isWhole) {
      let last = await disturbed(way, drawnStep(title, first.steps), 0);
      if (last.hasDied && (isRepeatable || isDeepStrictEqual(withoutDeaths(last.added, first.added), first.added))) return;
      // the first call may make what later ones find: another says what those add, and how many steps they have
      const second = await undisturbed(way, 'second');
      if (!last.hasDied) last = await disturbed(way, drawnStep(title, Math.min(first.steps, second.steps)), 1);
      expect(last.hasDied, 'the process died').toBe(true);
      if (!isRepeatable) expect(withoutDeaths(last.added, second.added)).toEqual(second.added);
      return;
    }
    const { added: expected } = await undisturbed(way, 'second');
    const crashStep = async (step: number | 'anew', nth: number): Promise<boolean> => {
      const { added, hasDied, hasFollowerDied } = await disturbed(way, step, nth);
      const found = withoutDeaths(added, expected);
      // the values in the message too: a report of test:all has no difference beside it
      if (!isRepeatable) expect(found, `died at step ${step}: ${JSON.stringify({ found, expected })}`).toEqual(expected);
      return hasDied || (step === 'anew' && hasFollowerDied);
    };
    let nth = 1;
    while (nth < mostSteps && (await crashStep(nth, nth))) nth++;
    // calls that leave side by side come back in any order: a step may have been another one each time; and what follows has more steps
    while (nth < mostSteps + 5 && (await crashStep('anew', nth))) nth++;
    expect(nth, 'the call has steps, and the process died at them').toBeGreaterThan(1);
  });
});

/** What earlier tests left for a later time, the second pass of an erasure a day later above all, is done before the scheduler runs amid a count. */
async function doEarlierWork(): Promise<void> {
  fixture.testApp.clock.advance(26 * 3_600_000);
  await fixture.testApp.tick('every-minute');
  await fixture.testApp.drain({ including: 'delayed', until: fixture.testApp.clock.now() + presumedStoppedMs });
}

/** One of the steps of an undisturbed call, from 1: the same for the same title. */
const drawnStep = (title: string, steps: number): number =>
  1 + Math.floor(seeded(Buffer.from(title).reduce((sum, each) => (Math.imul(sum, 31) + each) | 0, 7))() * steps);

/** What the call added, and how many steps it had. */
async function undisturbed(way: RouteOrScenario, key: string): Promise<{ added: Record<string, number>; steps: number }> {
  const call = await keyed(way, key);
  let steps = 0;
  const added = await counted(way, async () => {
    // a process that has cached nothing yet has the most steps
    clearProcessMemory();
    const answer = await withCrash(Number.POSITIVE_INFINITY, () => fixture.testApp.call(call));
    steps = crashes.steps();
    if (!answer) throw new Error(`${way.named.name} failed, though no process died.`);
    expectContract(way.named, call, answer);
    expect(answer.status, answer.raw).toBeLessThan(400);
  });
  return { added, steps };
}

/** `anew`: at a step at which no one died yet; no one crashes when there is none. */
async function disturbed(
  way: RouteOrScenario,
  step: number | 'anew',
  nth: number,
): Promise<{ added: Record<string, number>; hasDied: boolean; hasFollowerDied: boolean }> {
  const call = await keyed(way, `${step}-${nth}`);
  let hasDied = false;
  let hasFollowerDied = false;
  const added = await counted(way, async () => {
    clearProcessMemory();
    let answer = await withCrash(step, () => fixture.testApp.call(call));
    hasDied = answer === undefined;
    for (let tries = 0; answer === undefined || codeOf(answer) === 'idempotency_in_progress'; tries++) {
      if (tries > 2) throw new Error(`Nobody answers after a death at step ${step}: ${answer?.raw}`);
      // longer than the lease of the request that died
      fixture.testApp.clock.advance(36_000);
      answer = await fixture.call(way.named, call);
    }
    if (answer.status >= 400) expect(codesOfADoneCall, `died at step ${step}: ${answer.raw}`).toContain(codeOf(answer));
    // what follows crashes too, when every step is requested: wherever no one died yet, and else at another place each time
    const deaths = isWhole ? (['anew', 'anew', 1 + ((nth * 3) % 40)] as const) : [];
    for (const each of deaths) {
      const lived = await withCrash(each, async () => {
        await way.scenario?.next?.(fixture);
        await fixture.testApp.drain({ retry: false });
        return true;
      });
      if (each === 'anew' && !lived) hasFollowerDied = true;
    }
  });
  return { added, hasDied, hasFollowerDied };
}

/** A send over which a process died is not made again: it failed, as ambiguous. A second try that finds the work done is refused, and logged. */
const withoutDeaths = (added: Readonly<Record<string, number>>, expected: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(added)
      .filter(([kind]) => (kind !== 'event message.failed' && kind !== 'logged-request') || kind in expected)
      // a post that a shop repeats is listed twice: it came twice
      .map(([kind, count]) => [kind, kind === 'shop-receiver-post' ? Math.min(count, expected[kind] ?? 0) : count]),
  );

/** The stream writes an empty, hidden conversation of a deleted contact, or the erasure has been there before: its second pass removes it. */
const dependsOnOrder: Readonly<Record<string, readonly string[]>> = {
  eraseContact: ['conversation'],
  receivePlatformNotice: ['conversation'],
};

/** Where a second try makes another, and why it may. */
const repeatableBySecondTry: Readonly<Record<string, string>> = {
  startInstallation: 'a link that nobody was given lapses within the hour',
  finishInstallation: 'a login is good once: the merchant begins again',
  receiveTest: 'a log of calls, of which the second is one',
  createSignInCode:
    'a browser that lost the answer has no cookie, so it is another browser: its request and its mail are its own, at most five an hour',
  createSession: 'a cookie that no browser got: its session ends twelve hours later',
  createPasskeyOptions: 'a challenge that no browser got lapses in five minutes',
  createPasskeySignIn: 'a challenge that no browser got lapses in five minutes',
  createPasskey: 'a challenge is answered once: the user begins again',
  signInWithPasskey: 'a challenge is answered once: the user begins again',
  createToken: 'a secret that reached no client cannot be shown again',
  rotateToken: 'a secret that reached no client cannot be shown again',
  createMachineToken: 'a secret that reached no client cannot be shown again',
  rotateMachineToken: 'a secret that reached no client cannot be shown again',
  connectNumber: 'an address that the provider was not given takes nothing',
  createVerificationKey: 'a secret that reached no client cannot be shown again',
  rotateVerificationKey: 'a secret that reached no client cannot be shown again',
};

/** What a client sees whose first try did it all but for the answer: it is gone, it is changed, the name is taken, by the client itself. */
const codesOfADoneCall = [
  'not_found',
  'version_conflict',
  'task_not_pending',
  'validation_failed',
  'conflict',
  'enrolment_cooldown',
  'installation_refused',
  'passkey_invalid',
];

async function withCrash<T>(step: number | 'anew', work: () => Promise<T>): Promise<T | undefined> {
  using _life = crashes.over(fixture.testApp, '');
  return step === 'anew' ? await targeted(() => crashes.runWithCrash(undefined, work)) : await crashes.runWithCrash(step, work);
}

async function keyed({ named, scenario: extra }: RouteOrScenario, key: string): Promise<Call> {
  const call = await fixture.goodCall(named, { example: extra?.example });
  await fixture.testApp.drain();
  // the process of a receiver holds nothing of the call before, which it would not read again
  if (named.route.caller.kind === 'webhook_token') fixture.testApp.clock.advance(10_000);
  return named.route.effect === 'write' && named.route.caller.kind === 'token'
    ? { ...call, headers: { ...call.headers, 'idempotency-key': `${named.name}-${extra ? scenarios.indexOf(extra) : 'example'}-${key}` } }
    : call;
}

/** How many items of each kind the work, and all that follows from it, left more or fewer. */
async function counted({ named, scenario: extra }: RouteOrScenario, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  using _changes = fixture.testApp.onChange(({ before, after }) => {
    const item = after ?? before;
    if (!item) return;
    const kind = kindOf(item);
    if (!before === !after) return;
    // an item of the log holds the events of as many changes as came together
    const added = kind === 'events' ? eventsIn(item) : [kind];
    for (const each of added) counts[each] = (counts[each] ?? 0) + (after ? 1 : -1);
  });
  await work();
  await extra?.next?.(fixture);
  await fixture.testApp.drain();
  // what a stopped process held is given to the next when it is presumed stopped
  if (isWhole) {
    await fixture.testApp.drain({ including: 'delayed', until: fixture.testApp.clock.now() + presumedStoppedMs });
    // a message over which process after process died is a dead letter: the operator puts it back
    await fixture.testApp.redrive();
    await fixture.testApp.drain({ including: 'delayed', until: fixture.testApp.clock.now() + presumedStoppedMs });
  }
  const inOrder = dependsOnOrder[named.name] ?? [];
  return Object.fromEntries(
    Object.entries(counts).filter(([kind, count]) => count !== 0 && !sharedByMany.has(kind) && !inOrder.includes(kind)),
  );
}

const eventsIn = (item: Record<string, unknown>): string[] => (item['events'] as { type: string }[]).map(({ type }) => `event ${type}`);

/** Made for the first of many records or calls, whichever that is. */
const sharedByMany = new Set([
  'company-limit',
  // one for each shard of the stream that the changes came through, and its place in it
  'stream-shard',
  'campaign-stats-part',
  // one a second for as long as it counts
  'event campaign.progress',
  'usage-part',
  'address-limit',
  'contact-digest',
  'contact-members',
  'contact-counts',
  'verification-source',
  'verification-prefix',
  'verification-proofs',
  // the first of its hour: the clock passes hours between two calls
  'verification-ceiling',
  'verification-code-rate',
  // a send over which a process died is not made again: it counts among the failures
  'campaign-failures',
]);
