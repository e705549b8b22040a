import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { addNumber, rotateNumberSecrets, updateNumber } from '../../functions/account/service/numbers.ts';
import { demoTemplates } from '../../lib/local/demo-templates.ts';
import { startProvider } from '../../lib/local/provider/provider.ts';
import { unwrap } from '../../test/support/company.ts';
import { type Product, startProduct } from '../../test/support/product.ts';
import { installPeer, runPeer, startPostgres, startRedis } from '../peers/servers.ts';
import { cpuBelow } from '../processes.ts';
import { addPeople, asOperator } from '../running.ts';
import type { Figure, Scenario } from '../scenario.ts';

const recipients = Number(process.env['RECIPIENTS'] ?? 3_000);
const accessToken = 'a token of the bench alone';
const peerNumber = '900000000000001';

/** One sender's run: calls as the simulator took them, and the seconds of CPU of each of its parts from the campaign's beginning on. */
interface Run {
  perSecond: number;
  sent: number;
  seconds: number;
  cpu: Record<string, number>;
}

export const scenario: Scenario = {
  name: 'campaign-peer',
  description: `Sends a second of a campaign to ${recipients.toLocaleString('en')}, as the simulator takes them (statuses held back): ours at the highest rate of a number, and BullMQ with Redis and PostgreSQL 15, on the same simulator`,
  deterministic: false,
  measure: async () => {
    const folder = installPeer('bullmq');
    const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-simulator-'));
    const simulator = await startProvider({ dataDir, log: () => undefined });
    try {
      const theirs = [await measurePeer(simulator, folder)];
      // before, between and after: the machine's own changes fall on both
      const ours = await withProduct(simulator, async (product) => {
        const one = await measureOurs(simulator, product, 1);
        theirs.push(await measurePeer(simulator, folder));
        return { one, two: await measureOurs(simulator, product, 2) };
      });
      theirs.push(await measurePeer(simulator, folder));
      const peerPerSecond = theirs.reduce((sum, { perSecond }) => sum + perSecond, 0) / theirs.length;
      return [
        ...figuresOf('ours', [ours.one], 1.3),
        ...figuresOf('ours, two numbers', [ours.two], undefined),
        ...figuresOf('BullMQ', theirs, undefined),
        // 970 a second is what a campaign may take of one number's highest rate
        { name: 'ours to theirs, sends a second', unit: 'x', value: ours.one.perSecond / peerPerSecond, atLeast: 0.33, isGoal: true },
        {
          name: 'two numbers of ours to theirs, sends a second',
          unit: 'x',
          value: ours.two.perSecond / peerPerSecond,
          atLeast: 0.45,
          isGoal: true,
        },
      ];
    } finally {
      await simulator.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

type Simulator = Awaited<ReturnType<typeof startProvider>>;

/** What limits a sender is where its CPU goes: two cores are 2 s a second, for its parts and the simulator together. */
function figuresOf(who: string, runs: readonly Run[], mostOwnCpuMs: number | undefined): Figure[] {
  const mean = (pick: (run: Run) => number): number => runs.reduce((sum, run) => sum + pick(run), 0) / runs.length;
  const busy = (run: Run): number => Object.values(run.cpu).reduce((sum, each) => sum + each, 0) / run.seconds;
  return [
    { name: `${who}, sends`, unit: 'per second', value: mean(({ perSecond }) => perSecond) },
    ...Object.keys(runs[0]?.cpu ?? {}).map(
      (part): Figure => ({
        name: `${who}, CPU a recipient: ${part}`,
        unit: 'ms',
        value: mean(({ cpu, sent }) => ((cpu[part] ?? 0) * 1_000) / sent),
        ...(part === 'its process' && mostOwnCpuMs !== undefined ? { atMost: mostOwnCpuMs, isGoal: true } : {}),
      }),
    ),
    { name: `${who}, cores busy`, unit: 'x', value: mean(busy) },
  ];
}

/** Runs the work and returns what the simulator took from a number meanwhile. */
async function measured(
  simulator: Simulator,
  numberIds: readonly string[],
  parts: Record<string, () => number>,
  work: () => Promise<unknown>,
): Promise<Run> {
  const all: typeof parts = { ...parts, simulator: ownSeconds };
  const before = Object.entries(all).map(([part, seconds]) => [part, seconds()] as const);
  const already = (await taken(simulator, numberIds)).length;
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const cpu = Object.fromEntries(before.map(([part, at]) => [part, (all[part]?.() ?? 0) - at]));
  const calls = (await taken(simulator, numberIds)).slice(already);
  const sent = recipients * numberIds.length;
  if (calls.length !== sent) throw new Error(`${calls.length} of ${sent} were sent.`);
  return {
    sent,
    perSecond: ((calls.length - 1) * 1_000) / ((calls.at(-1) ?? 0) - (calls[0] ?? 0)),
    seconds,
    cpu,
  };
}

const ownSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** When each message of these numbers was taken, epoch milliseconds. */
async function taken(simulator: Simulator, numberIds: readonly string[]): Promise<number[]> {
  const answer = await simulator.control('GET', '/_local/provider/messages', undefined);
  const { data } = z.object({ data: z.array(z.object({ phone_number_id: z.string(), at: z.string() })) }).parse(answer?.body);
  return data.flatMap((each) => (numberIds.includes(each.phone_number_id) ? [Date.parse(each.at)] : []));
}

async function put(simulator: Simulator, what: string, body: unknown): Promise<void> {
  const answer = await simulator.control('PUT', `/_local/provider/${what}`, body);
  if (answer?.status !== 200) throw new Error(`The simulator refused ${what}: ${JSON.stringify(answer?.body)}`);
}

async function introduce(
  simulator: Simulator,
  number: { company_id: number; waba_id: string; phone_number_id: string; webhook_url: string },
) {
  const known = { display_phone_number: '4915100000001', access_token: accessToken, app_secret: 'unused' };
  await put(simulator, 'numbers', { ...number, ...known });
  await put(simulator, 'templates', { waba_id: number.waba_id, templates: demoTemplates });
  await put(simulator, 'faults', { hold_statuses: true });
}

async function measurePeer(simulator: Simulator, folder: string): Promise<Run> {
  await using postgres = await startPostgres();
  await using redis = await startRedis();
  await introduce(simulator, { company_id: 900, waba_id: '900', phone_number_id: peerNumber, webhook_url: simulator.url });
  const env = {
    POSTGRES_URL: postgres.url,
    REDIS_PORT: String(redis.port),
    PROVIDER_URL: simulator.url,
    PHONE_NUMBER_ID: peerNumber,
    ACCESS_TOKEN: accessToken,
    RECIPIENTS: String(recipients),
  };
  let sender = 0;
  const parts = { PostgreSQL: () => cpuBelow(/postgres/), Redis: () => cpuBelow(/redis-server/), 'its process': () => sender };
  return await measured(simulator, [peerNumber], parts, async () => {
    sender = z.object({ cpuMs: z.number() }).parse(await runPeer(join(folder, 'sender.mjs'), env)).cpuMs / 1_000;
  });
}

/** One product for all its runs: SDK clients of this process, which prepares its numbers, keep the endpoint of their first call. */
async function withProduct<T>(simulator: Simulator, work: (product: Product) => Promise<T>): Promise<T> {
  await using product = await startProduct({ warm: true });
  const { company, numberIds } = numbersOf(product);
  const { waba_id, webhook_url } = company.messaging;
  for (const id of numberIds) await introduce(simulator, { company_id: company.id, waba_id, phone_number_id: id, webhook_url });
  await asOperator(product, () => prepareNumbers(company.id, { waba_id, numberIds, base_url: simulator.url }));
  await addPeople(product, recipients);
  return await work(product);
}

/** The first company and its two numbers. */
function numbersOf({ demo }: Product) {
  const [company] = demo.companies;
  if (!company) throw new Error('There is no demo company.');
  const { phone_number_id } = company.messaging;
  return { company, numberIds: [phone_number_id, `${phone_number_id}2`] };
}

/** A campaign from the first number or from both, to all contacts, at the same time. */
async function measureOurs(simulator: Simulator, product: Product, numbers: 1 | 2): Promise<Run> {
  const numberIds = numbersOf(product).numberIds.slice(0, numbers);
  const parts = { 'its process': () => cpuBelow(/bin\/dev\.ts/), 'the emulated table': () => cpuBelow(/dynoxide/) };
  return await measured(simulator, numberIds, parts, async () => {
    const ids = await Promise.all(numberIds.map((_, nth) => start(product, nth + 1)));
    for (let tries = 0; !(await areSent(product, ids)); tries++) {
      if (tries > 4_800) throw new Error('The campaign did not end.');
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
}

/** The product's numbers send to the bench's simulator, as fast as any number may. */
async function prepareNumbers(
  companyId: number,
  { waba_id, numberIds, base_url }: { waba_id: string; numberIds: string[]; base_url: string },
) {
  for (const phone_number_id of numberIds.slice(1))
    unwrap(await addNumber(companyId, { phone: '+4915100000002', phone_number_id, waba_id, access_token: accessToken }));
  for (const nth of numberIds.keys()) {
    unwrap(await updateNumber(companyId, nth + 1, { rate: 1_000, base_url }));
    unwrap(await rotateNumberSecrets(companyId, nth + 1, { access_token: accessToken }));
  }
}

async function start(product: Product, numberId: number): Promise<number> {
  const templates = await product.asOwner({ method: 'GET', path: '/api/v1/templates', query: { name: 'hello_world' } });
  const [template] = z.object({ data: z.array(z.looseObject({ id: z.int() })) }).parse(templates.body).data;
  const body = { name: `Spring ${numberId}`, template_id: template?.id, number_id: numberId };
  const created = await product.asOwner({ method: 'POST', path: '/api/v1/campaigns', body });
  if (created.status !== 200) throw new Error(created.raw);
  return z.object({ data: z.object({ id: z.int() }) }).parse(created.body).data.id;
}

async function areSent(product: Product, ids: readonly number[]): Promise<boolean> {
  for (const id of ids) {
    const { body } = await product.asOwner({ method: 'GET', path: `/api/v1/campaigns/${id}` });
    if (z.object({ data: z.object({ status: z.string() }) }).parse(body).data.status !== 'completed') return false;
  }
  return true;
}
