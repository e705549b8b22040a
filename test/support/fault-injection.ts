import { companyOfKey } from '../../shared/table/schema.ts';
import { conversationEntity } from '../../functions/conversations/store/conversation.ts';
import { type Difference, recountCompany } from '../../functions/change-stream/service/recount.ts';
import { unexpectedErrors } from './error-lines.ts';
import { findStuckWork } from './liveness.ts';
import { isMutated } from './mutation.ts';
import { seeded } from './random.ts';
import { isFullSize } from './run-size.ts';
import { retryWithoutDelay, tableError } from './sdk-hooks.ts';
import type { TestApp } from './test-app.ts';

/** The faults of a run besides crashes; the same for the same seed. Shares are 0 to 1. */
export interface FaultInjection extends AsyncDisposable {
  /**
   * Between two operations: a tick missed or doubled, a message on a queue that no one can read, deliveries of a while ago once more.
   * Most of the time nothing.
   */
  between: () => Promise<void>;
  /** Reads are late no more: what is checked is what is stored. */
  endLateReads: () => void;
}

/**
 * While it lives the table throttles, cancels transactions for a conflict and loses answers to writes that were done (so that the SDK
 * writes again), in a thorough run its indexes and eventually consistent reads are late, and every function's clock is wrong by up to a second.
 * One batch of a queue in ten is delivered to two workers at the same time.
 * At the end of a thorough run the change stream is read to its end, and the projections of every company that changed are recounted.
 */
export const injectFaults = async (testApp: TestApp, seed: number): Promise<FaultInjection> => {
  void retryWithoutDelay();
  const random = seeded(seed ^ 0x5bd1e995);
  // a call in fifty, drawn beforehand: what is drawn a call would change with every call that is added to the product
  let next = 1 + Math.floor(random() * 50);
  const isNext = (): boolean => {
    if (--next > 0) return false;
    next = 1 + Math.floor(random() * 100);
    return true;
  };
  // its own: what a batch draws changes nothing for the rest
  const aside = seeded(seed ^ 0x3c6ef372);
  const table = testApp.onTable(({ command, when, output }) => {
    if (command === 'BatchExecuteStatement' && output) failStatements(output, aside);
    if (!isNext()) return;
    if (when === 'after') {
      if (writes.has(command)) throw tableError('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } });
    } else if (command === 'TransactWriteItems')
      throw tableError('TransactionCanceledException', { CancellationReasons: [{ Code: 'TransactionConflict' }] });
    // an item that another call's transaction holds: not repeated by the SDK, unlike throttling
    else if (single.has(command) && aside() < 0.3) throw tableError('TransactionConflictException');
    else throw tableError('ThrottlingException');
  });
  const doubled = testApp.deliverTwice(seed ^ 0x1b873593, doubledShare);
  // each late read is looked up among the changes of a moment ago, which takes time
  const late = isThorough() ? await testApp.readLate(seed) : { [Symbol.dispose]: () => {} };
  uncheckedOf(testApp);
  const changed = new Set<number>();
  const changes = companiesChanging(testApp, changed);
  const clocks = testApp.aroundInvocations((work) => testApp.clock.skewed(Math.floor((random() - 0.5) * 2 * mostSkewMs), work));
  const actions: readonly (() => void | Promise<void>)[] = [
    () => testApp.clock.advance(60_000 + Math.floor(random() * 120_000)),
    async () => {
      await testApp.tick();
      await testApp.tick();
    },
    () => testApp.sendPoison(random),
    () => testApp.redeliver(random, 0.2),
  ];
  return {
    between: async () => {
      if (random() < 0.3) await actions[Math.floor(random() * actions.length)]?.();
    },
    endLateReads: () => late[Symbol.dispose](),
    [Symbol.asyncDispose]: async () => {
      table[Symbol.dispose]();
      doubled[Symbol.dispose]();
      late[Symbol.dispose]();
      clocks[Symbol.dispose]();
      // where a condition is removed, the suite says what it sees of it
      if (isThorough() && !isMutated) {
        await testApp.drain({ only: 'changes' });
        await testApp.tick('catch-up');
        expectNoDifference(await differencesAtRest(testApp, changed), `Seed ${seed}: projections`);
      }
      changes[Symbol.dispose]();
    },
  };
};

/**
 * A conversation that a change brought late of an erased contact is removed by the second pass of the erasure, a day later: where nothing else
 * differs, it is looked at after that.
 */
async function differencesAtRest(testApp: TestApp, companies?: ReadonlySet<number>): Promise<Difference[]> {
  const differences = await recountAll(testApp, companies);
  if (differences.length === 0) return differences;
  const passes = new Map(
    (await testApp.dump({ kind: 'erasure' })).flatMap(({ companyId, contactId, dueAt }) =>
      typeof dueAt === 'number'
        ? [[conversationEntity.key({ companyId: Number(companyId), contactId: Number(contactId) }).pk, dueAt] as const]
        : [],
    ),
  );
  const times = differences.map(({ pk }) => passes.get(pk));
  if (!times.every((time) => time !== undefined)) return differences;
  testApp.clock.moveTo(Math.max(testApp.clock.now(), ...times) + 60_000);
  await testApp.tick();
  await testApp.drain();
  await testApp.tick('catch-up');
  await testApp.drain();
  return recountAll(testApp, companies);
}

const expectNoDifference = (differences: readonly Difference[], what: string): void => {
  if (differences.length > 0) throw new Error(`${what} are not what their items say: ${JSON.stringify(differences.slice(0, 5))}`);
};

/**
 * When all is quiet: half a day later, in which no tick came, what was delivered lately is delivered again, and the operator puts
 * the dead letters back, twice each. Poison must have become a dead letter by then, and be one again afterwards. Errors that the product logged and no
 * injected fault explains fail the run.
 */
export const replayHalfADayLater = async (testApp: TestApp, seed: number): Promise<void> => {
  const random = seeded(seed);
  await drainAndCheckPoison(testApp);
  testApp.clock.advance(halfDayMs);
  await testApp.redeliver(random, 1);
  await testApp.redrive(2);
  await drainAndCheckPoison(testApp);
  // where a condition is removed, the suite says what it sees of it
  if (!isMutated) await checkProjections(testApp);
  const [error] = unexpectedErrors(testApp.logs);
  if (error !== undefined) throw new Error(`The product logged an error that no injected fault explains: ${error}`);
  if (!isMutated) {
    const stuck = await findStuckWork(testApp);
    if (stuck.length > 0) throw new Error(`Work that nothing will end: ${stuck.slice(0, 5).join('; ')}`);
  }
};

/** Companies that changed since their projections were checked. Before the first check it is not known which did. */
const unchecked = new WeakMap<TestApp, { companies: Set<number>; isFirst: boolean }>();

function uncheckedOf(testApp: TestApp): { companies: Set<number>; isFirst: boolean } {
  let found = unchecked.get(testApp);
  if (!found) {
    unchecked.set(testApp, (found = { companies: new Set(), isFirst: true }));
    companiesChanging(testApp, found.companies);
  }
  return found;
}

/** Recounts what changed since the check before: a suite of a hundred rounds has a company for each. */
async function checkProjections(testApp: TestApp): Promise<void> {
  const since = uncheckedOf(testApp);
  expectNoDifference(await differencesAtRest(testApp, since.isFirst ? undefined : since.companies), 'Projections');
  since.isFirst = false;
  since.companies.clear();
}

/** Adds to `companies` each one of which an item changes. */
const companiesChanging = (testApp: TestApp, companies: Set<number>): Disposable =>
  testApp.onChange(({ before, after }) => {
    const companyId = companyOfKey(String((after ?? before)?.['pk']));
    if (companyId !== undefined) companies.add(companyId);
  });

/** Every projection of every company, or of these, against its items, as `admin recount` does it. */
export const recountAll = async (testApp: TestApp, companyIds?: ReadonlySet<number>): Promise<Difference[]> => {
  const companies = companyIds ?? new Set((await testApp.dump({ kind: 'company' })).map(({ id, companyId }) => Number(id ?? companyId)));
  const contexts = (await import('../../functions/app.ts')).app;
  const options = {
    reactions: contexts.flatMap(({ reactions }) => reactions ?? []),
    recounts: contexts.flatMap(({ recounts }) => recounts ?? []),
    shouldWrite: false,
    untilBrought: () => Promise.resolve(),
  };
  const all: Difference[] = [];
  for (const companyId of companies) all.push(...(await recountCompany(companyId, options)));
  return all;
};

const drainAndCheckPoison = async (testApp: TestApp): Promise<void> => {
  await testApp.drain();
  await testApp.passTime(240);
  const lost = testApp.poisoned.put - testApp.poisoned.setAside();
  if (lost > 0) throw new Error(`${lost} messages that nobody could read were thrown away in place of being kept as dead letters.`);
};

/** Some statements of a batch fail by themselves, or so their answer says: they were done all the same. */
function failStatements(output: Record<string, unknown>, random: () => number): void {
  for (const response of output['Responses'] as { Error?: { Code: string } }[])
    if (random() < 0.03) response.Error ??= { Code: random() < 0.5 ? 'ThrottlingError' : 'InternalServerError' };
}

const isThorough = (): boolean => isFullSize() || process.env['SEEDS'] !== undefined;

const doubledShare = 0.1;
const mostSkewMs = 1_000;
const halfDayMs = 12 * 3_600_000;
const single = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);
const writes = new Set([...single, 'TransactWriteItems', 'BatchExecuteStatement']);
