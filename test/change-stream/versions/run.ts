import { deriveChangeStreamContext } from '../../../functions/change-stream/context.ts';
import { recountCompany } from '../../../functions/change-stream/service/recount.ts';
import { replayChanges } from '../../../functions/change-stream/service/replay-changes.ts';
import { listSetAsideChanges, retrySetAsideChanges } from '../../../functions/change-stream/service/set-aside.ts';
import { deriveDueWorkContext } from '../../../functions/due-work/context.ts';
import { getDispatchState } from '../../../functions/due-work/store.ts';
import { counterEntity } from '../../../shared/table/counter.ts';
import { type Random, seeded, shuffled } from '../../support/random.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { type Effect, effects } from './effects.ts';
import { newMoves, newParcels, parcelsContext, registries, reminders } from './parcels.ts';
import { deploy, drawVersionsBy, inOneVersion, type Version } from './version.ts';

/** Forward: the old version runs, and the new one is deployed. Back: the new one runs, or half of it, and the old one is deployed again. */
export type Way = 'forward' | 'back';

export const startVersions = async () => {
  const contexts = [parcelsContext, deriveChangeStreamContext([parcelsContext]), deriveDueWorkContext([parcelsContext])];
  const testApp = await startTestApp({ contexts, shards: 4 });
  const hook = testApp.aroundInvocations(inOneVersion);
  let companies = 5_000;
  return {
    /** What a seed did wrong. */
    run: (seed: number, way: Way): Promise<string[]> => runSeed(testApp, { companyId: ++companies, seed, way }),
    stop: async () => {
      hook[Symbol.dispose]();
      await testApp.stop();
    },
  };
};

interface Run {
  companyId: number;
  seed: number;
  way: Way;
}

interface Accepted {
  id: number;
  by: Version;
}

/** As the stack has it: the consumer, then all others, in any order (docs/decisions/consumers-first.md), also when it is an older one. */
const functionsOf = (random: Random): string[] => [
  'changes',
  ...shuffled(['dispatch-tick', 'parcel-moves-worker', 'parcels-http'], random),
];
const other = (version: Version): Version => (version === 'old' ? 'new' : 'old');

async function runSeed(testApp: TestApp, { companyId, seed, way }: Run): Promise<string[]> {
  const random = seeded(seed * 2 + Number(way === 'back'));
  drawVersionsBy(seeded(seed ^ 0x2545f491));
  const startedAt = testApp.clock.now();
  const last: Version = way === 'forward' ? 'new' : 'old';
  const accepted: Accepted[] = [];
  const act = () => someActs(testApp, companyId, random, accepted);
  const isInTheMiddle = way === 'back' && seed % 2 === 0;

  for (const name of functionsOf(random)) deploy(name, way === 'forward' || isInTheMiddle ? 'old' : 'new');
  await act();
  // a deployment of the new version that is given up when some functions are replaced
  const begun = isInTheMiddle ? functionsOf(random).slice(0, 1 + Math.floor(random() * 4)) : [];
  for (const name of begun) await replace(name, 'new', act);
  for (const name of functionsOf(random)) await replace(name, last, act);

  await untilQuiet(testApp, seed);
  const violations = await overcounted(companyId, accepted);
  violations.push(...effects.takeFailures(), ...(await violationsOf(companyId, accepted, [last])));
  violations.push(...(await unnamed(testApp, companyId, accepted, other(last))));
  // the version that knows the rest comes back
  for (const name of functionsOf(random)) deploy(name, other(last));
  await untilQuiet(testApp, seed);
  const range = { sinceMs: startedAt, untilMs: testApp.clock.now() };
  if (way === 'back') {
    await replayChanges(range, { companyId, reactions: registries.new.reactions });
    await untilQuiet(testApp, seed);
  }
  violations.push(...(await overcounted(companyId, accepted)));
  await recount(companyId);
  violations.push(...effects.takeFailures(), ...(await violationsOf(companyId, accepted, ['old', 'new'])));
  return violations.map((what) => `${way}, seed ${seed}: ${what}`);
}

/** For a while both versions of a function answer, as its processes are replaced one by one. */
async function replace(name: string, version: Version, act: () => Promise<void>): Promise<void> {
  deploy(name, 'both');
  await act();
  deploy(name, version);
  await act();
}

async function someActs(testApp: TestApp, companyId: number, random: Random, accepted: Accepted[]): Promise<void> {
  const call = (act: 'accept' | 'touch', id: number, dueAt = 0) => testApp.invokeFunction('parcels-http', { act, companyId, id, dueAt });
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const id = accepted.length + 1;
    const by = (await call('accept', id, testApp.clock.now() + Math.floor(random() * 900_000))) as Version;
    accepted.push({ id, by });
  }
  const touched = accepted[Math.floor(random() * accepted.length)];
  if (touched && random() < 0.7) await call('touch', touched.id);
  const seed = Math.floor(random() * 2 ** 31);
  if (random() < 0.8) await testApp.drain({ disorder: { seed, duplicate: 0.2, crash: 0.1, reorder: true, replay: 0.2 } });
  if (random() < 0.5) await testApp.passTime(60);
}

/** What a version did not know is in no row that it wrote: the operator recounts once that is over. */
const recount = (companyId: number): Promise<unknown> =>
  recountCompany(companyId, {
    reactions: [...registries.new.reactions, ...registries.old.reactions.filter(({ to }) => to === reminders.name)],
    recounts: [],
    shouldWrite: true,
    untilBrought: () => Promise.resolve(),
  });

/** Until all is quiet and the dispatcher has looked twice. Before that the operator puts back the dead letters and retries what is set aside. */
async function untilQuiet(testApp: TestApp, seed: number): Promise<void> {
  await testApp.drain({ disorder: { seed, duplicate: 0.2, replay: 0.2, reorder: true } });
  await testApp.redrive();
  await retrySetAsideChanges();
  for (let minutes = 0; minutes < 35; minutes += 7) {
    testApp.clock.advance(7 * 60_000);
    await testApp.tick();
    await testApp.drain({ including: 'delayed', until: testApp.clock.now() });
  }
}

const doneBy: Readonly<Record<Version, readonly Effect[]>> = { old: ['remind'], new: ['weigh', 'print', 'expire'] };

/** What must have been done of all that was accepted, once these versions had their time; and nothing twice. */
async function violationsOf(companyId: number, accepted: readonly Accepted[], versions: readonly Version[]): Promise<string[]> {
  const violations: string[] = [];
  for (const { id, by } of accepted) {
    const wanted: readonly Effect[] = ['pack', ...doneBy[by]];
    for (const effect of wanted) {
      const times = effects.times(effect, { companyId, id });
      const isDue = effect === 'pack' || versions.includes(by);
      if (times > 1) violations.push(`${effect} ${id} was done ${times} times`);
      else if (times === 0 && isDue) violations.push(`${effect} ${id} of the ${by} version is lost`);
    }
    const weight = (await newParcels.get({ companyId, id }, { consistent: true }))?.weight;
    if (by === 'new' && weight !== id * 10) violations.push(`parcel ${id} lost its weight: ${weight}`);
  }
  const isRecounted = versions.length === 2;
  for (const { of, total, wanted } of await countersOf(companyId, accepted))
    if (total !== wanted && (isRecounted || of === 'parcel')) violations.push(`${total} are counted as ${of}, not ${wanted}`);
  return violations;
}

/** Before a recount a row may miss what a version did not know; it has nothing twice. */
const overcounted = async (companyId: number, accepted: readonly Accepted[]): Promise<string[]> =>
  (await countersOf(companyId, accepted)).flatMap(({ of, total, wanted }) =>
    total > wanted ? [`${total} are counted as ${of} before the recount, of ${wanted}`] : [],
  );

const countersOf = (companyId: number, accepted: readonly Accepted[]) => {
  const counters: readonly { of: string; by?: Version }[] = [{ of: 'parcel' }, { of: 'reminder', by: 'old' }, { of: 'label', by: 'new' }];
  return Promise.all(
    counters.map(async ({ of, by }) => ({
      of,
      wanted: accepted.filter((each) => by === undefined || each.by === by).length,
      total: (await counterEntity.get({ companyId, of }, { consistent: true }))?.total ?? 0,
    })),
  );
};

/** What a version left undone that the other one accepted is where the operator sees it: set aside, a dead letter, or due work that was left. */
async function unnamed(testApp: TestApp, companyId: number, accepted: readonly Accepted[], by: Version): Promise<string[]> {
  const records = (await listSetAsideChanges()).map(({ record = '' }) => record);
  const letters = testApp.deadLettersOf(newMoves).map((each) => JSON.stringify(each));
  const { left } = await getDispatchState();
  const [item, dueEffect] = by === 'old' ? (['reminder', 'remind'] as const) : (['label', 'expire'] as const);
  const isSetAside = (id: number): boolean =>
    records.some((each) => each.includes(`"C#${companyId}#${item}"`) && each.includes(`"sk":{"S":"${id}"}`));
  const isLetter = (move: Effect, id: number): boolean => letters.some((each) => each === JSON.stringify({ companyId, id, move }));
  return accepted
    .filter((each) => each.by === by)
    .flatMap(({ id }) => {
      const isUndone = (effect: Effect): boolean => effects.times(effect, { companyId, id }) === 0;
      const printed = by === 'new' && isUndone('print') && !isSetAside(id) && !isLetter('print', id) ? [`print ${id} is nowhere`] : [];
      const isNamed = isSetAside(id) || isLetter(dueEffect, id) || left[item] !== undefined;
      return [...printed, ...(isUndone(dueEffect) && !isNamed ? [`${dueEffect} ${id} is nowhere`] : [])];
    });
}
