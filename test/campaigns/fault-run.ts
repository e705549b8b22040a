import { campaignBatchesQueue, campaignBuildsQueue, campaignChecksQueue } from '../../functions/campaigns/contract/queue.ts';
import { storedStats } from '../../functions/campaigns/contract/stored.ts';
import { openRecipientCount, recipientStateOf } from '../../functions/campaigns/domain/stats.ts';
import { setConsent } from '../../functions/contacts/service/consent.ts';
import { unconfirmedSendsQueue, providerStatusesQueue, providerUpdatesQueue } from '../../functions/messaging/contract/queue.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { resumeCompany, suspendCompany } from '../../functions/administration/service/suspension.ts';
import { providerPost, statusPost, type TestCompany } from '../support/company.ts';
import { type RunWithCrash, crashInjection } from '../support/crash-injection.ts';
import { isTargeting } from '../support/crash-points.ts';
import { type Random, seeded, shuffled } from '../support/random.ts';
import { replayHalfADayLater, type FaultInjection, injectFaults } from '../support/fault-injection.ts';
import type { TestApp } from '../support/test-app.ts';
import type { CampaignFixture, Contact } from './fixture.ts';

/**
 * Campaigns made by a seed, on whose way processes die before or after any call to the table, a queue or the provider, deliveries come
 * twice, late and shuffled, the table throttles, the provider misbehaves, people opt out, a user pauses, resumes, retries and adds single
 * recipients, recipients are erased or merged, the operator suspends the company, and the provider restricts its number. When all
 * is quiet every recipient has one outcome, no one has two messages, and the counters say what the rows say.
 */
export interface Violation {
  seed: number;
  what: string;
}

/** Shares, 0 to 1, of what happens in a run. */
export interface Emphasis {
  /** Drains in which a batch is delivered once more while its worker is about to take slots. */
  copies?: number;
  /** Drains in which a worker that has its slots stalls until its lease has ended, and its batch is delivered again. */
  stalls?: number;
  /** Drains in which a user pauses at that moment. */
  pauses?: number;
  /** Operations in which a recipient says stop. */
  stops?: number;
  /** Processes that die, of those that may. */
  deaths?: number;
  /** Checked when the queues have come to rest, without what half a day later brings: enough to see that a condition is missing. */
  isSoon?: boolean;
}
const usual: Required<Emphasis> = { copies: 0.05, stalls: 0.03, pauses: 0.05, stops: 0.15, deaths: 0.6, isSoon: false };

interface Run {
  seed: number;
  company: TestCompany;
  id: number;
  people: Contact[];
  /** Phones, and how many messages each had been given when its recipient wrote stop. */
  optedOut: Map<string, number>;
  /** Recipients added by calls of their own, and whether the call was acknowledged. */
  singles: Map<string, boolean>;
  /** Recipients that were to be erased, or to become part of another: what is found of them depends on when that was. */
  gone: Set<number>;
  /** What the provider reports of what it accepted for a phone, where that is not all: a phone that is off, statuses that are lost. */
  reports: ReadonlyMap<string, 'sent' | 'nothing'>;
}

export const faultRuns = async (
  fixture: CampaignFixture,
  companies: readonly TestCompany[],
  seeds: readonly number[],
  emphasis: Emphasis = {},
): Promise<Violation[]> => {
  const shares = { ...usual, ...emphasis };
  const { testApp } = fixture;
  const violations: Violation[] = [];
  const runs: Run[] = [];
  // what a crash leaves undone comes again with the next drain
  const { runWithCrash, over } = crashInjection();
  using _life = over(testApp, fixture.provider.url);
  for (const seed of seeds) {
    const company = companies[seed % companies.length];
    if (!company) throw new Error('There is no company.');
    await using faults = await injectFaults(testApp, seed);
    runs.push(await run(fixture, company, seed, { shares, runWithCrash, faults, blame: (what) => violations.push({ seed, what }) }));
  }
  await fixture.faults({ hold_statuses: true });
  await testApp.passTime(200);
  for (const { company, id } of runs) await fixture.api(company, 'PUT', `/${id}`, { is_active: true });
  await testApp.passTime(300);
  // few of the runs start a campaign again: each does, where a crash is to be shown
  if (isTargeting()) {
    for (const { company, id } of runs) await runWithCrash(undefined, () => fixture.api(company, 'POST', `/${id}/retry`, {}));
    await testApp.passTime(300);
  }
  if ((await reportStatuses(fixture, runs, seeded(1))) > 0) throw new Error('Statuses were refused though no fault is injected any more.');
  await testApp.drain({ disorder: { seed: 1, duplicate: 0.3, reorder: true } });
  await testApp.passTime(40);
  await (shares.isSoon ? testApp.passTime(20) : replayHalfADayLater(testApp, seeds[0] ?? 0));
  return [...violations, ...(await checkOutcome(fixture, runs))];
};

interface Fate {
  shares: Required<Emphasis>;
  runWithCrash: RunWithCrash;
  faults: FaultInjection;
  blame: (what: string) => void;
}

async function run(fixture: CampaignFixture, company: TestCompany, seed: number, fate: Fate): Promise<Run> {
  const { shares, runWithCrash, faults, blame } = fate;
  const { testApp } = fixture;
  const random = seeded(seed);
  const aside = seeded(seed ^ 0x2545f491);
  const others = seeded(seed ^ 0x6c078965);
  const pick = (most: number): number => Math.floor(random() * most);
  const crashStep = (most: number): number | undefined => (random() < shares.deaths ? 1 + pick(most) : undefined);
  const groupId = await fixture.group(company, `Seed ${seed}`);
  const people = await fixture.people(company, random() < 0.3 ? 110 + pick(110) : 5 + pick(30), { group_id: groupId });
  await fixture.faults({ seed, hold_statuses: true, throttle: 0.1, server_error: 0.05, reset: 0.14 });
  const body = { name: `Seed ${seed}`, template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' }, group_id: groupId };
  const id = await fixture.create(company, body);
  const state: Run = {
    seed,
    company,
    id,
    people,
    optedOut: new Map(),
    singles: new Map(),
    gone: new Set(),
    reports: fewReports(people, seed),
  };
  for (let op = 0; op < 8; op++) {
    const disorder = { seed: seed * 100 + op, duplicate: 0.2, crash: 0.15, reorder: true };
    testApp.clock.advance(500 + pick(4_000));
    const amid = aside();
    if (amid < shares.copies) await beforeSlots(testApp, () => testApp.redeliver(aside, 0.5));
    else if (amid < shares.copies + shares.pauses) await pauseAmid(fixture, state, blame);
    else if (amid < shares.copies + shares.pauses + shares.stalls) await beforeClaim(testApp, () => testApp.redeliver(aside, 1));
    else await runWithCrash(crashStep(400), () => testApp.drain({ disorder, retry: false }));
    if (random() < 0.2) await runWithCrash(crashStep(20), () => testApp.tick());
    await runWithCrash(crashStep(60), () => faults.between());
    const other = others();
    if (other < 0.1) await runWithCrash(crashStep(40), () => suspendForAWhile(fixture, state, blame));
    else if (other < 0.2) await runWithCrash(crashStep(40), () => restrictForAWhile(fixture, state));
    else if (other < 0.4) await runWithCrash(crashStep(20), () => addSingle(fixture, state, op));
    else if (other < 0.5) await runWithCrash(crashStep(20), () => eraseOrMerge(fixture, state, others));
    const kind = random();
    if (kind < 0.2) await pauseAndLook(fixture, state, blame);
    else if (kind < 0.35) await runWithCrash(crashStep(20), () => fixture.api(company, 'PUT', `/${id}`, { is_active: true }));
    else if (kind < 0.35 + shares.stops) await optOut(fixture, state, people[pick(people.length)]);
    else if (kind < 0.45 + shares.stops) await runWithCrash(crashStep(20), () => fixture.api(company, 'POST', `/${id}/retry`, {}));
    else if (kind < 0.55 + shares.stops) await reportStatuses(fixture, [state], random);
  }
  // the operator repeats what was not done
  for (let attempt = 1; !(await runWithCrash(undefined, () => resumeCompany(company.id))); attempt++)
    if (attempt === 10) throw new Error('The company could not be resumed.');
  await fixture.api(company, 'PUT', `/${id}`, { is_active: true });
  await testApp.drain({ disorder: { seed, duplicate: 0.2, reorder: true } });
  return state;
}

/** No one is written to between the answers of the operator's two commands. */
async function suspendForAWhile(fixture: CampaignFixture, run: Run, blame: (what: string) => void): Promise<void> {
  const { testApp } = fixture;
  const { company } = run;
  await suspendCompany(company.id);
  const lookAgain = await lookAt(fixture, run, 'a suspension');
  await testApp.drain();
  await testApp.tick();
  await lookAgain(blame);
  await resumeCompany(company.id);
  await testApp.tick();
}

/** For half a minute. */
async function restrictForAWhile({ testApp }: CampaignFixture, { company }: Run): Promise<void> {
  const seconds = Math.floor(testApp.clock.now() / 1_000);
  const restriction = { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: seconds + 30 };
  const value = { event: 'ACCOUNT_RESTRICTION', restriction_info: [restriction] };
  const entry = [{ id: company.number.wabaId, time: seconds, changes: [{ field: 'account_update', value }] }];
  await testApp.call(providerPost(company, { object: 'whatsapp_business_account', entry }));
  await testApp.drain({ retry: false });
}

/** The call is repeated by its key where it was not answered. */
async function addSingle(fixture: CampaignFixture, { company, id, seed, singles }: Run, op: number): Promise<void> {
  const phone = `49157${String(seed * 10 + op).padStart(8, '0')}`;
  singles.set(phone, false);
  for (let attempt = 1; attempt <= 2 && !singles.get(phone); attempt++) {
    const body = { campaign_id: id, phone: `+${phone}`, data: { 1: 'you' } };
    singles.set(phone, (await fixture.api(company, 'POST', '/send', body, `single ${seed} ${op}`)).status === 200);
  }
}

/** One of two recipients, or one of them becomes part of the other; repeated where it was not answered. */
async function eraseOrMerge({ testApp }: CampaignFixture, { company, people, gone }: Run, random: Random): Promise<void> {
  const [first, second] = shuffled(people, random);
  if (!first || !second) return;
  const [verb, body] = random() < 0.5 ? ['erase', undefined] : ['merge', { contact_id: second.id }];
  gone.add(verb === 'erase' ? first.id : second.id);
  const path = `/api/v1/contacts/${first.id}/${verb}`;
  for (let attempt = 1; attempt <= 3; attempt++)
    if ((await testApp.call({ method: 'POST', path, token: company.tokens.owner, ...(body ? { body } : {}) })).status < 500) return;
}

/** Of a phone in ten the provider reports `sent` alone, of one in twenty nothing. */
function fewReports(people: readonly Contact[], seed: number): Run['reports'] {
  const random = seeded(seed ^ 0x7f4a7c15);
  const drawn = people.map(({ phone }) => [phone, random()] as const);
  return new Map(drawn.flatMap(([phone, share]) => (share < 0.15 ? [[phone, share < 0.1 ? 'sent' : 'nothing'] as const] : [])));
}

/** Drains, and acts once when the first worker is about to take slots. */
async function beforeSlots(testApp: TestApp, act: () => Promise<void>): Promise<void> {
  let isDue = true;
  using _slots = testApp.onTable(async ({ input, when }) => {
    if (!isDue || when !== 'before' || !JSON.stringify(input).includes('#PACE#')) return;
    isDue = false;
    await act();
  });
  await testApp.drain({ retry: false });
}

/** Drains, and acts once when the first worker is about to claim a recipient, after its lease has ended. */
async function beforeClaim(testApp: TestApp, act: () => Promise<void>): Promise<void> {
  let isDue = true;
  using _claims = testApp.onTable(async ({ command, input, when }) => {
    const isWrite = command === 'PutItem' || command === 'BatchExecuteStatement';
    if (!isDue || when !== 'before' || !isWrite || !/"message"/.test(JSON.stringify(input)) || !/\bcampaign\b/.test(JSON.stringify(input)))
      return;
    isDue = false;
    testApp.clock.advance(51_000);
    await act();
  });
  await testApp.drain({ retry: false });
}

async function pauseAndLook(fixture: CampaignFixture, run: Run, blame: (what: string) => void): Promise<void> {
  const lookAgain = await paused(fixture, run);
  await fixture.testApp.drain();
  await lookAgain(blame);
}

async function pauseAmid(fixture: CampaignFixture, run: Run, blame: (what: string) => void): Promise<void> {
  let lookAgain: Look | undefined;
  await beforeSlots(fixture.testApp, async () => {
    lookAgain = await paused(fixture, run);
  });
  await lookAgain?.(blame);
}

type Look = (blame: (what: string) => void) => Promise<void>;

/** No one is written to after the answer of a pause whose message was not being sent: says so when it is looked at again. */
async function paused(fixture: CampaignFixture, run: Run): Promise<Look> {
  const answer = await fixture.api(run.company, 'PUT', `/${run.id}`, { is_active: false });
  return answer.status === 200 ? lookAt(fixture, run, 'a pause') : () => Promise.resolve();
}

async function lookAt(fixture: CampaignFixture, run: Run, since: string): Promise<Look> {
  const claimed = await claimedPhones(fixture, run);
  const mine = new Set(phonesOf(run).filter((phone) => !claimed.has(phone)));
  const count = async (): Promise<number> => (await fixture.ledger()).filter(({ to }) => mine.has(to)).length;
  const before = await count();
  return async (blame) => {
    const after = await count();
    if (after > before) blame(`${after - before} messages left after ${since}`);
  };
}

/** Whose message another worker may be sending: one batch in ten is delivered to two. */
async function claimedPhones({ testApp }: CampaignFixture, { company: { id: companyId } }: Run): Promise<ReadonlySet<string>> {
  const claimed = new Set((await testApp.dump({ kind: 'message', companyId })).map(({ contactId }) => contactId));
  const contacts = await testApp.dump({ kind: 'contact', companyId });
  return new Set(contacts.flatMap(({ id, phone }) => (claimed.has(id) ? [String(phone).replace(/^\+/, '')] : [])));
}

async function optOut(fixture: CampaignFixture, { company, optedOut, gone }: Run, recipient: Contact | undefined): Promise<void> {
  if (!recipient || gone.has(recipient.id)) return;
  const at = fixture.testApp.clock.now();
  const set = await setConsent(company.id, recipient.id, { subscribed: false, source: 'keyword', at, evidence: `stop ${at}` });
  if (isProblem(set)) throw new Error(`The contact ${recipient.id} could not say stop: ${set.problem}.`);
  if (!optedOut.has(recipient.phone)) optedOut.set(recipient.phone, (await fixture.ledger(recipient.phone)).length);
}

/** The provider's statuses for what it accepted, shuffled and some of them twice; each again when it is not acknowledged. How many never were. */
async function reportStatuses(fixture: CampaignFixture, runs: readonly Run[], random: Random): Promise<number> {
  const runOf = new Map(runs.flatMap((run) => phonesOf(run).map((phone) => [phone, run] as const)));
  const posts = (await fixture.ledger()).flatMap((entry) => {
    const run = runOf.get(entry.to);
    if (!run) return [];
    const { company, reports } = run;
    return reportedStatuses[reports.get(entry.to) ?? 'all']
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
    if (index % 800 === 0) fixture.testApp.clock.advance(61_000);
    let isAcknowledged = false;
    for (let attempt = 1; attempt <= 3 && !isAcknowledged; attempt++) isAcknowledged = (await fixture.testApp.call(post)).status === 200;
    if (!isAcknowledged) refused++;
  }
  return refused;
}

const phonesOf = ({ people, singles }: Run): string[] => [...people.map(({ phone }) => phone), ...singles.keys()];

const reportedStatuses = { all: ['sent', 'delivered', 'read'], sent: ['sent'], nothing: [] } as const;
/** Where the result of a call is lost and no status comes, it is not known that the provider took the message. */
const acceptedStates = { all: ['delivered', 'read'], sent: ['sent'], nothing: ['sent', 'ambiguous'] } as const;

async function checkOutcome(fixture: CampaignFixture, runs: readonly Run[]): Promise<Violation[]> {
  const found: Violation[] = [];
  const accepted = new Map<string, number>();
  for (const { to } of await fixture.ledger()) accepted.set(to, (accepted.get(to) ?? 0) + 1);
  const dump = await fixture.testApp.dump();
  for (const run of runs) {
    const { seed, company, id, people, optedOut, reports, singles, gone } = run;
    const isShort = (count: number, expected: number): boolean => count > expected || count < expected - gone.size;
    const blame = (what: string): void => void found.push({ seed, what });
    for (const phone of phonesOf(run)) if ((accepted.get(phone) ?? 0) > 1) blame(`${phone} has ${accepted.get(phone)} messages`);
    for (const [phone, before] of optedOut) if ((accepted.get(phone) ?? 0) > before) blame(`${phone} was written to after saying stop`);
    const mine = dump.filter(({ companyId }) => companyId === company.id);
    const campaign = mine.find(({ kind, id: of }) => kind === 'campaign' && of === id);
    const rows = mine.filter(({ kind, campaign: of }) => kind === 'message' && (of as { id?: number } | undefined)?.id === id);
    const isSingle = (row: Record<string, unknown>): boolean => singles.has(String(row['phone']));
    const constructed = rows.filter((row) => !isSingle(row));
    for (const [phone, isAcknowledged] of singles)
      if (isAcknowledged && !rows.some((row) => row['phone'] === phone)) blame(`${phone} was acknowledged and has no message`);
    const skipped = mine
      .filter(
        ({ kind, campaignId, batch }) => kind === 'campaign-block' && campaignId === id && Number(batch) < Number(campaign?.['batchCount']),
      )
      .flatMap(({ skipped: those }) => those as [number, string][]);
    const raw = mine.find(({ kind, campaignId }) => kind === 'campaign-stats' && campaignId === id);
    const excluded = Object.values((campaign?.['excluded'] ?? {}) as Record<string, number>).reduce((sum, each) => sum + each, 0);
    if (isShort(Number(campaign?.['audience']) + excluded, people.length))
      blame(`${String(campaign?.['audience'])} recipients and ${excluded} left out of ${people.length}`);
    if (isShort(constructed.length + skipped.length, Number(campaign?.['audience'])))
      blame(`${constructed.length} rows and ${skipped.length} skipped of ${String(campaign?.['audience'])} recipients`);
    if (new Set(rows.map(({ contactId }) => contactId)).size !== rows.length) blame('a contact has two rows');
    if (campaign?.['status'] !== 'completed' && Number(campaign?.['audience']) > 0) blame(`ends ${String(campaign?.['status'])}`);
    if (Number(campaign?.['retried']) > Number(raw?.['retried'] ?? 0)) blame('knows of more retried recipients than were counted');
    for (const row of rows) {
      const has = (accepted.get(String(row['phone'])) ?? 0) > 0;
      const state = recipientStateOf(row as never);
      if (has && !acceptedStates[reports.get(String(row['phone'])) ?? 'all'].some((expected) => expected === state))
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
      // what was counted of an erased recipient stays counted
      if (isShort(count, stats[state])) blame(`${state} is ${stats[state]}, recounted ${count}`);
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
    if (fixture.testApp.deadLettersOf(queue).length > 0)
      found.push({ seed: -1, what: `${fixture.testApp.deadLettersOf(queue).length} dead letters of ${queue.name}` });
  return found;
}
