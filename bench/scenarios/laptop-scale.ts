import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { updateNumber } from '../../functions/account/service/numbers.ts';
import { unwrap } from '../../test/support/company.ts';
import { type Product, startProduct } from '../../test/support/product.ts';
import { cpuBelow, cpuOfMachine, memoryBelow } from '../processes.ts';
import { addPeople, asOperator, createSale, idleCpuAMinute, pause, percentile, productProcesses, timeOf } from '../running.ts';
import type { Figure, Scenario } from '../scenario.ts';

/** A quarter of an hour; fewer say less: what falls behind does so in proportion. */
const recipients = Number(process.env['RECIPIENTS'] ?? 100_000);
const campaignTo = `campaign to ${recipients.toLocaleString('en')}`;

export const scenario: Scenario = {
  name: 'laptop-scale',
  description: `A ${campaignTo} at the highest rate of a number on the running product, statuses included, with other calls meanwhile; afterwards the audience's preview, and the product at rest with the table that is left. CPU is of the product, its table and its simulators together`,
  deterministic: false,
  measure: async () => {
    await using product = await startProduct();
    const filling = performance.now();
    await addPeople(product, recipients);
    const filled = performance.now() - filling;
    const [company] = product.demo.companies;
    if (!company) throw new Error('There is no demo company.');
    await asOperator(product, async () => void unwrap(await updateNumber(company.id, 1, { rate: 1_000 })));
    return [
      { name: 'contacts made, with all that follows', unit: 'per second', value: Math.round((recipients * 1_000) / filled) },
      ...(await campaign(product)),
      ...(await preview(product)),
      ...(await atRest(product)),
    ];
  },
};

/** One look at both sides: what the provider accepted, and what the product says of it. */
interface Look {
  at: number;
  accepted: number;
  progress: number;
}

async function campaign(product: Product): Promise<Figure[]> {
  using provider = openProvider(product);
  const [accepted, cpu, machine, began, disk] = [
    provider.accepted(),
    cpuBelow(productProcesses),
    cpuOfMachine(),
    performance.now(),
    bytesOf(product.folder),
  ];
  const ownAt = process.cpuUsage();
  const id = await createSale(product);
  const looks: Look[] = [];
  const me: number[] = [];
  const texts: number[] = [];
  let memory = 0;
  let completedAt: number | undefined;
  let lastPostAt: number | undefined;
  const others = othersMeanwhile(product, me, texts);
  for (;;) {
    memory = Math.max(memory, memoryBelow(productProcesses));
    const state = details.parse((await product.asOwner({ method: 'GET', path: `/api/v1/campaigns/${id}` })).body).data;
    const { total, scheduled, processing, read } = state.statistics;
    const now = performance.now();
    const isChosen = state.status === 'sending' || state.status === 'completed';
    looks.push({ at: now, accepted: provider.campaign(), progress: isChosen ? total - scheduled - processing : 0 });
    if (lastPostAt === undefined && provider.isOver(recipients)) {
      lastPostAt = now;
      void others.end();
    }
    // completed, and every status counted
    if (state.status === 'completed' && read === recipients) completedAt = now;
    if (completedAt !== undefined && lastPostAt !== undefined) break;
    if (now - began > 7_200_000) throw new Error(`The campaign did not end: ${JSON.stringify(state.statistics)}`);
    await pause(500);
  }
  await others.end();
  await product.idle(1_200);
  const seconds = (performance.now() - began) / 1_000;
  const used = cpuBelow(productProcesses) - cpu;
  const ours = process.cpuUsage(ownAt);
  const all = cpuOfMachine() - machine;
  const sent = provider.campaign();
  if (sent !== recipients) throw new Error(`${sent} of ${recipients} were sent to; ${accepted} before.`);
  const [first, last] = provider.span();
  return [
    { name: `${campaignTo}, CPU a recipient`, unit: 'ms', value: (used * 1_000) / recipients, atMost: 7, isGoal: true },
    { name: `${campaignTo}, most memory`, unit: 'MB', value: Math.round(memory), atMost: 900, isGoal: true },
    { name: `${campaignTo}, sends`, unit: 'per second', value: Math.round(((recipients - 1) * 1_000) / (last - first)) },
    {
      name: `${campaignTo}, progress behind the provider, at most`,
      unit: 'ms',
      value: Math.round(furthestBehind(looks)),
      atMost: 15_000,
      isGoal: true,
    },
    {
      name: `${campaignTo}, completed and all read after the last status`,
      unit: 'ms',
      value: Math.round(Math.max(0, completedAt - lastPostAt)),
      atMost: 30_000,
    },
    { name: `${campaignTo}, from its beginning until nothing is left to do`, unit: 'ms', value: Math.round(seconds * 1_000) },
    { name: `${campaignTo}, disk a recipient`, unit: 'bytes', value: Math.round((bytesOf(product.folder) - disk) / recipients) },
    { name: 'GET /me meanwhile, p95', unit: 'ms', value: percentile(me, 0.95), atMost: 150, isGoal: true },
    { name: 'POST /messages/text meanwhile, p95', unit: 'ms', value: percentile(texts, 0.95), atMost: 400, isGoal: true },
    { name: 'cores that other programs took meanwhile', unit: 'x', value: (all - used - (ours.user + ours.system) / 1e6) / seconds },
  ];
}

const details = z.object({
  data: z.looseObject({
    status: z.string(),
    statistics: z.looseObject({ total: z.int(), scheduled: z.int(), processing: z.int(), read: z.int() }),
  }),
});

/** For each moment: until the product showed what the provider had by then. */
function furthestBehind(looks: readonly Look[]): number {
  return Math.max(0, ...looks.map(({ at, accepted }) => (looks.find((each) => each.progress >= accepted)?.at ?? at) - at));
}

/** A call of each kind a second, one after the other, as a customer's programs make them. */
function othersMeanwhile(product: Product, me: number[], texts: number[]) {
  let isOver = false;
  const work = (async () => {
    for (let nth = 0; !isOver; nth++) {
      me.push(await timeOf(() => product.asOwner({ method: 'GET', path: '/api/v1/me' })));
      // a number of its own for each: the provider lets one recipient have few a second
      const body = { phone: `+49171${String(1_000_000 + nth)}`, message: 'Hello' };
      texts.push(await timeOf(() => product.asOwner({ method: 'POST', path: '/api/v1/messages/text', body })));
      await pause(500);
    }
  })();
  return {
    end: () => {
      isOver = true;
      return work;
    },
  };
}

/** The simulator's own file: its control answers whole messages, which would cost more than what is measured. */
function openProvider(product: Product) {
  const database = new DatabaseSync(join(product.folder, 'provider.db'), { readOnly: true, timeout: 5_000 });
  const templates = "FROM messages WHERE type = 'template'";
  const all = database.prepare('SELECT count(*) AS n FROM messages');
  const ofCampaign = database.prepare(`SELECT count(*) AS n ${templates}`);
  const unposted = database.prepare(`SELECT count(*) AS n ${templates} AND planned <> posted`);
  const ends = database.prepare(`SELECT min(at) AS first, max(at) AS last ${templates}`);
  const before = Number(ofCampaign.get()?.['n']);
  const campaign = (): number => Number(ofCampaign.get()?.['n']) - before;
  return {
    accepted: (): number => Number(all.get()?.['n']),
    campaign,
    /** All statuses of all recipients were taken. */
    isOver: (count: number): boolean => campaign() >= count && Number(unposted.get()?.['n']) === 0,
    span: (): [number, number] => {
      const row = ends.get();
      return [Number(row?.['first']), Number(row?.['last'])];
    },
    [Symbol.dispose]: (): void => database.close(),
  };
}

async function preview(product: Product): Promise<Figure[]> {
  const call = () =>
    timeOf(() => product.asOwner({ method: 'POST', path: '/api/v1/campaigns/audience-preview', body: { audience_type: 'all' } }));
  const first = await call();
  const times: number[] = [];
  for (let nth = 0; nth < 10; nth++) times.push(await call());
  return [
    { name: 'audience preview, the first', unit: 'ms', value: Math.round(first), atMost: 1_500, isGoal: true },
    { name: 'audience preview, slowest of ten', unit: 'ms', value: Math.round(percentile(times, 1)), atMost: 1_500, isGoal: true },
  ];
}

async function atRest(product: Product): Promise<Figure[]> {
  const megabytes = statSync(join(product.folder, 'dynamodb.db')).size / 2 ** 20;
  const call = () => timeOf(() => product.asOwner({ method: 'GET', path: '/api/v1/contacts', query: { limit: 5 } }));
  const times: number[] = [];
  for (let nth = 0; nth < 400; nth++) {
    times.push(await call());
    await pause(150);
  }
  await pause(60_000);
  return [
    { name: 'afterwards at rest, size of the table', unit: 'MB', value: Math.round(megabytes) },
    { name: 'afterwards at rest, p50 of 400 calls', unit: 'ms', value: percentile(times, 0.5), atMost: 20, isGoal: true },
    { name: 'afterwards at rest, slowest of 400 calls', unit: 'ms', value: percentile(times, 1), atMost: 100, isGoal: true },
    { name: 'afterwards at rest, CPU a minute', unit: 'ms', value: await idleCpuAMinute(60), atMost: 2_000 },
    { name: 'afterwards at rest, memory', unit: 'MB', value: Math.round(memoryBelow(productProcesses)) },
  ];
}

/** Of all files below, sparse ones and open logs as they are. */
const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
