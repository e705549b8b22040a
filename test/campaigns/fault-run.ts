import { campaignBatchesQueue, campaignBuildsQueue, campaignChecksQueue } from '../../functions/campaigns/contract/queue.ts';
import { storedStats } from '../../functions/campaigns/contract/stored.ts';
import { openRecipientCount, recipientStateOf } from '../../functions/campaigns/domain/stats.ts';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { unconfirmedSendsQueue, providerStatusesQueue, providerUpdatesQueue } from '../../functions/messaging/contract/queue.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { statusPost, type TestCompany } from '../support/company.ts';
import { type RunWithCrash, crashInjection } from '../support/crash-injection.ts';
import { isTargeting } from '../support/crash-points.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';
import { replayHalfADayLater, type FaultInjection, injectFaults } from '../support/fault-injection.ts';
import type { TestApp } from '../support/test-app.ts';
import type { CampaignFixture, Contact } from './fixture.ts';

/**
 * Campaigns made by a seed, on whose way processes die before or after any call to the table, a queue or the provider, deliveries come
 * twice, late and shuffled, the table throttles, the provider misbehaves, people opt out and a user pauses, resumes and retries. When all
 * is quiet every recipient has one outcome, no one has two messages, and the counters say what the rows say.
 */
export interface Violation {
  seed: number;
  what: string;
}

/** Shares, 0 to 1, of what happens in a run. */
export interface Emphasis {
  /** Drains in which a block is delivered once more while its worker is about to take slots. */
  copies?: number;
  /** Drains in which a user pauses at that moment. */
  pauses?: number;
  /** Operations in which a recipient says stop. */
  stops?: number;
  /** Processes that die, of those that may. */
  deaths?: number;
  /** Checked when the queues have come to rest, without what half a day later brings: enough to see that a condition is missing. */
  isSoon?: boolean;
}
const usual: Required<Emphasis> = { copies: 0.05, pauses: 0.05, stops: 0.15, deaths: 0.6, isSoon: false };

interface Run {
  seed: number;
  company: TestCompany;
  id: number;
  people: Contact[];
  /** Phones, and how many messages each had been given when its recipient wrote stop. */
  optedOut: Map<string, number>;
}

export const faultRuns = async (
  stage: CampaignFixture,
  companies: readonly TestCompany[],
  seeds: readonly number[],
  emphasis: Emphasis = {},
): Promise<Violation[]> => {
  const shares = { ...usual, ...emphasis };
  const { world } = stage;
  const violations: Violation[] = [];
  const runs: Run[] = [];
  // what a crash leaves undone comes again with the next drain
  const { runWithCrash, over } = crashInjection();
  using _life = over(world, stage.provider.url);
  for (const seed of seeds) {
    const company = companies[seed % companies.length];
    if (!company) throw new Error('There is no company.');
    await using hardship = await injectFaults(world, seed);
    runs.push(await run(stage, company, seed, { shares, runWithCrash, hardship, blame: (what) => violations.push({ seed, what }) }));
  }
  await stage.faults({ hold_statuses: true });
  await world.passTime(200);
  for (const { company, id } of runs) await stage.api(company, 'PUT', `/${id}`, { is_active: true });
  await world.passTime(300);
  // few of the runs start a campaign again: each does, where a crash is to be shown
  if (isTargeting()) {
    for (const { company, id } of runs) await runWithCrash(undefined, () => stage.api(company, 'POST', `/${id}/retry`, {}));
    await world.passTime(300);
  }
  if ((await reportStatuses(stage, runs, seeded(1))) > 0) throw new Error('Statuses were refused though no fault is injected any more.');
  await world.drain({ disorder: { seed: 1, duplicate: 0.3, reorder: true } });
  await world.passTime(40);
  await (shares.isSoon ? world.passTime(20) : replayHalfADayLater(world, seeds[0] ?? 0));
  return [...violations, ...(await checkOutcome(stage, runs))];
};

interface Fate {
  shares: Required<Emphasis>;
  runWithCrash: RunWithCrash;
  hardship: FaultInjection;
  blame: (what: string) => void;
}

async function run(stage: CampaignFixture, company: TestCompany, seed: number, fate: Fate): Promise<Run> {
  const { shares, runWithCrash, hardship, blame } = fate;
  const { world } = stage;
  const random = seeded(seed);
  const aside = seeded(seed ^ 0x2545f491);
  const pick = (most: number): number => Math.floor(random() * most);
  const crashStep = (most: number): number | undefined => (random() < shares.deaths ? 1 + pick(most) : undefined);
  const groupId = await stage.group(company, `Seed ${seed}`);
  const people = await stage.people(company, random() < 0.3 ? 110 + pick(110) : 5 + pick(30), { group_id: groupId });
  await stage.faults({ seed, hold_statuses: true, throttle: 0.1, server_error: 0.05, reset: 0.14 });
  const body = { name: `Seed ${seed}`, template_id: stage.templateId(company, 'sale'), parammatch: { 1: 'name' }, group_id: groupId };
  const id = await stage.create(company, body);
  const state: Run = { seed, company, id, people, optedOut: new Map() };
  for (let op = 0; op < 8; op++) {
    const disorder = { seed: seed * 100 + op, duplicate: 0.2, crash: 0.15, reorder: true };
    world.clock.advance(500 + pick(4_000));
    const amid = aside();
    if (amid < shares.copies) await beforeSlots(world, () => world.redeliver(aside, 0.5));
    else if (amid < shares.copies + shares.pauses) await pauseAmid(stage, state, blame);
    else await runWithCrash(crashStep(400), () => world.drain({ disorder, retry: false }));
    if (random() < 0.2) await runWithCrash(crashStep(20), () => world.tick());
    await runWithCrash(crashStep(60), () => hardship.between());
    const kind = random();
    if (kind < 0.2) await pauseAndLook(stage, state, blame);
    else if (kind < 0.35) await runWithCrash(crashStep(20), () => stage.api(company, 'PUT', `/${id}`, { is_active: true }));
    else if (kind < 0.35 + shares.stops) await optOut(stage, state, people[pick(people.length)]);
    else if (kind < 0.45 + shares.stops) await runWithCrash(crashStep(20), () => stage.api(company, 'POST', `/${id}/retry`, {}));
    else if (kind < 0.55 + shares.stops) await reportStatuses(stage, [state], random);
  }
  await stage.api(company, 'PUT', `/${id}`, { is_active: true });
  await world.drain({ disorder: { seed, duplicate: 0.2, reorder: true } });
  return state;
}

/** Drains, and acts once when the first worker is about to take slots: no call is in flight then. */
async function beforeSlots(world: TestApp, act: () => Promise<void>): Promise<void> {
  let isDue = true;
  using _slots = world.onTable(async ({ input, when }) => {
    if (!isDue || when !== 'before' || !JSON.stringify(input).includes('#PACE#')) return;
    isDue = false;
    await act();
  });
  await world.drain({ retry: false });
}

async function pauseAndLook(stage: CampaignFixture, run: Run, blame: (what: string) => void): Promise<void> {
  const lookAgain = await paused(stage, run);
  await stage.world.drain();
  await lookAgain(blame);
}

async function pauseAmid(stage: CampaignFixture, run: Run, blame: (what: string) => void): Promise<void> {
  let lookAgain: Look | undefined;
  await beforeSlots(stage.world, async () => {
    lookAgain = await paused(stage, run);
  });
  await lookAgain?.(blame);
}

type Look = (blame: (what: string) => void) => Promise<void>;

/** Nothing leaves after the answer of a pause where no call is in flight: says so when it is looked at again. */
async function paused(stage: CampaignFixture, { company, id, people }: Run): Promise<Look> {
  const answer = await stage.api(company, 'PUT', `/${id}`, { is_active: false });
  const mine = new Set(people.map(({ phone }) => phone));
  const count = async (): Promise<number> => (await stage.ledger()).filter(({ to }) => mine.has(to)).length;
  const before = await count();
  return async (blame) => {
    const after = await count();
    if (answer.status === 200 && after > before) blame(`${after - before} messages left after a pause`);
  };
}

async function optOut(stage: CampaignFixture, { company, optedOut }: Run, recipient: Contact | undefined): Promise<void> {
  if (!recipient) return;
  const at = stage.world.clock.now();
  const set = await setConsent(company.id, recipient.id, { subscribed: false, source: 'keyword', at, evidence: `stop ${at}` });
  if (isProblem(set)) throw new Error(`The contact ${recipient.id} could not say stop: ${set.problem}.`);
  if (!optedOut.has(recipient.phone)) optedOut.set(recipient.phone, (await stage.ledger(recipient.phone)).length);
}

/** The provider's statuses for what it accepted, shuffled and some of them twice; each again when it is not acknowledged. How many never were. */
async function reportStatuses(stage: CampaignFixture, runs: readonly Run[], random: Random): Promise<number> {
  const companyOf = new Map(runs.flatMap(({ company, people }) => people.map(({ phone }) => [phone, company] as const)));
  const posts = (await stage.ledger()).flatMap((entry) => {
    const company = companyOf.get(entry.to);
    if (!company) return [];
    return ['sent', 'delivered', 'read']
      .filter((status) => status !== 'read' || random() < 0.7)
      .flatMap((status) => {
        const post = statusPost(company, {
          id: entry.wamid,
          status,
          recipient_id: entry.to,
          ...(entry.reference ? { biz_opaque_callback_data: entry.reference } : {}),
        });
        return random() < 0.2 ? [post, post] : [post];
      });
  });
  let refused = 0;
  for (const [index, post] of shuffled(posts, random).entries()) {
    if (index % 800 === 0) stage.world.clock.advance(61_000);
    let isAcknowledged = false;
    for (let attempt = 1; attempt <= 3 && !isAcknowledged; attempt++) isAcknowledged = (await stage.world.call(post)).status === 200;
    if (!isAcknowledged) refused++;
  }
  return refused;
}

async function checkOutcome(stage: CampaignFixture, runs: readonly Run[]): Promise<Violation[]> {
  const found: Violation[] = [];
  const accepted = new Map<string, number>();
  for (const { to } of await stage.ledger()) accepted.set(to, (accepted.get(to) ?? 0) + 1);
  const dump = await stage.world.dump();
  for (const { seed, company, id, people, optedOut } of runs) {
    const blame = (what: string): void => void found.push({ seed, what });
    for (const { phone } of people) if ((accepted.get(phone) ?? 0) > 1) blame(`${phone} has ${accepted.get(phone)} messages`);
    for (const [phone, before] of optedOut) if ((accepted.get(phone) ?? 0) > before) blame(`${phone} was written to after saying stop`);
    const mine = dump.filter(({ companyId }) => companyId === company.id);
    const campaign = mine.find(({ kind, id: of }) => kind === 'campaign' && of === id);
    const rows = mine.filter(({ kind, campaign: of }) => kind === 'message' && (of as { id?: number } | undefined)?.id === id);
    const skipped = mine
      .filter(
        ({ kind, campaignId, batch }) => kind === 'campaign-block' && campaignId === id && Number(batch) < Number(campaign?.['batchCount']),
      )
      .flatMap(({ skipped: those }) => those as [number, string][]);
    const raw = mine.find(({ kind, campaignId }) => kind === 'campaign-stats' && campaignId === id);
    const excluded = Object.values((campaign?.['excluded'] ?? {}) as Record<string, number>).reduce((sum, each) => sum + each, 0);
    if (Number(campaign?.['audience']) + excluded !== people.length)
      blame(`${String(campaign?.['audience'])} recipients and ${excluded} left out of ${people.length}`);
    if (rows.length + skipped.length !== Number(campaign?.['audience']))
      blame(`${rows.length} rows and ${skipped.length} skipped of ${String(campaign?.['audience'])} recipients`);
    if (new Set(rows.map(({ contactId }) => contactId)).size !== rows.length) blame('a contact has two rows');
    if (campaign?.['status'] !== 'completed' && Number(campaign?.['audience']) > 0) blame(`ends ${String(campaign?.['status'])}`);
    if (Number(campaign?.['retried']) > Number(raw?.['retried'] ?? 0)) blame('knows of more retried recipients than were counted');
    for (const row of rows) {
      const has = (accepted.get(String(row['phone'])) ?? 0) > 0;
      const state = recipientStateOf(row as never);
      if (has && state !== 'delivered' && state !== 'read')
        blame(`${String(row['phone'])} was accepted and ends ${state}: ${JSON.stringify(row)}`);
      if (!has && state !== 'failed' && state !== 'ambiguous') blame(`${String(row['phone'])} was not accepted and ends ${state}`);
    }
    if (!raw) {
      if (Number(campaign?.['audience']) > 0) blame('has no counters');
      continue;
    }
    const stats = storedStats.parse(raw);
    for (const state of ['processing', 'sent', 'delivered', 'read', 'failed', 'ambiguous'] as const) {
      const count = rows.filter((row) => recipientStateOf(row as never) === state).length;
      if (stats[state] !== count) blame(`${state} is ${stats[state]}, recounted ${count}`);
    }
    if (stats.skipped !== skipped.length) blame(`skipped is ${stats.skipped}, recounted ${skipped.length}`);
    if (openRecipientCount(stats) !== 0) blame(`${openRecipientCount(stats)} recipients are open`);
  }
  for (const queue of [
    campaignBuildsQueue,
    campaignBatchesQueue,
    campaignChecksQueue,
    unconfirmedSendsQueue,
    providerUpdatesQueue,
    providerStatusesQueue,
  ])
    if (stage.world.deadLettersOf(queue).length > 0)
      found.push({ seed: -1, what: `${stage.world.deadLettersOf(queue).length} dead letters of ${queue.name}` });
  return found;
}
