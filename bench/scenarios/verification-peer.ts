import { join } from 'node:path';
import * as z from 'zod';
import { getRequest } from '../../functions/verification/store/request.ts';
import { dynamo } from '../../shared/table/client.ts';
import { startFixture } from '../../test/verification/fixture.ts';
import { cpuMsUnder } from '../peers/cpu.ts';
import { installPeer, runPeer, startPostgres } from '../peers/servers.ts';
import type { Figure, Scenario } from '../scenario.ts';

const pairs = Number(process.env['PAIRS'] ?? 1_000);
const concurrency = 16;
const run = z.object({
  requestsMs: z.number(),
  checksMs: z.number(),
  /** CPU of the process that serves, and of the database beside it. */
  ownCpuMs: z.number(),
  databaseCpuMs: z.number(),
  /** Calls of the database. */
  calls: z.number(),
});
type Run = z.output<typeof run>;

export const scenario: Scenario = {
  name: 'verification-peer',
  description: `${pairs.toLocaleString('en')} pairs of request and right code, ${concurrency} at once, both called in process, no message sent within the time: ours with all guards on the emulated table (its file in memory), better-auth's phone plugin on PostgreSQL 15 (its file on disk)`,
  deterministic: false,
  measure: async () => {
    const folder = installPeer('better-auth');
    const measurePeer = async (): Promise<Run> => {
      await using postgres = await startPostgres();
      const env = { POSTGRES_URL: postgres.url, POSTGRES_PID: `${postgres.pid}`, PAIRS: `${pairs}`, CONCURRENCY: `${concurrency}` };
      return run.parse(await runPeer(join(folder, 'pairs.mjs'), env));
    };
    // before, between and after: the machine's own changes fall on both
    const theirs = [await measurePeer()];
    const first = await measureOurs();
    theirs.push(await measurePeer());
    const second = await measureOurs();
    theirs.push(await measurePeer());
    const ours = [first, second];
    const callMs = (first.callCpuMs + second.callCpuMs) / 2;
    const oursAPair = aPair(ours);
    return [
      ...rates('ours', ours),
      ...rates('better-auth', theirs),
      { name: 'ours to theirs, pairs', unit: 'x', value: perSecond(ours, both) / perSecond(theirs, both), atLeast: 0.35, isGoal: true },
      // what limits each: the one process that serves has one core
      ...limits('ours', 'table', oursAPair),
      { name: "ours, CPU of the SDK's calls, a pair", unit: 'ms', value: oursAPair.calls * callMs },
      { name: 'ours, CPU of all else, a pair', unit: 'ms', value: oursAPair.ownCpuMs - oursAPair.calls * callMs },
      ...limits('better-auth', 'PostgreSQL', aPair(theirs)),
    ];
  },
};

const both = ({ requestsMs, checksMs }: Run): number => requestsMs + checksMs;

const perSecond = (runs: readonly Run[], pick: (each: Run) => number): number =>
  (pairs * runs.length * 1_000) / runs.reduce((sum, each) => sum + pick(each), 0);

const rates = (whose: string, runs: readonly Run[]): Figure[] => [
  { name: `${whose}, pairs`, unit: 'per second', value: perSecond(runs, both) },
  { name: `${whose}, requests`, unit: 'per second', value: perSecond(runs, ({ requestsMs }) => requestsMs) },
  { name: `${whose}, checks`, unit: 'per second', value: perSecond(runs, ({ checksMs }) => checksMs) },
];

const aPair = (runs: readonly Run[]) => {
  const mean = (pick: (each: Run) => number): number => runs.reduce((sum, each) => sum + pick(each), 0) / runs.length / pairs;
  return {
    ms: mean(both),
    ownCpuMs: mean(({ ownCpuMs }) => ownCpuMs),
    databaseCpuMs: mean(({ databaseCpuMs }) => databaseCpuMs),
    calls: mean(({ calls }) => calls),
  };
};

const limits = (whose: string, database: string, { ms, ownCpuMs, databaseCpuMs, calls }: ReturnType<typeof aPair>): Figure[] => [
  { name: `${whose}, time a pair`, unit: 'ms', value: ms },
  { name: `${whose}, CPU of the process, a pair`, unit: 'ms', value: ownCpuMs },
  { name: `${whose}, CPU of the ${database}, a pair`, unit: 'ms', value: databaseCpuMs },
  { name: `${whose}, calls of the ${database}, a pair`, unit: 'calls', value: calls },
];

async function measureOurs(): Promise<Run & { callCpuMs: number }> {
  // with the laptop's own index on the emulator's change stream: without it each write reads the whole stream
  await using fixture = await startFixture();
  const caller = await fixture.newCaller();
  const addressOf = (nth: number): string => `198.18.${Math.floor(nth / 250)}.${nth % 250}`;
  const request = async (nth: number, phone: string): Promise<string> => {
    const answer = await caller.post('/request', { identifier: phone }, { ip: addressOf(nth) });
    if (answer.status !== 200) throw new Error(`The measured request was answered ${answer.status} ${answer.raw}`);
    return z.object({ request_id: z.string() }).parse(answer.body).request_id;
  };
  const check = async (nth: number, request_id: string, code: string): Promise<void> => {
    const answer = await caller.post('/verify', { request_id, code }, { ip: addressOf(nth) });
    if (answer.status !== 200) throw new Error(`The measured check was answered ${answer.status} ${answer.raw}`);
  };
  for (let nth = 0; nth < 50; nth++) await request(nth, fixture.newPhone());
  const phones = Array.from({ length: pairs }, () => fixture.newPhone());
  const ids: string[] = [];
  let calls = 0;
  const counted = { name: 'countOfTheBench', step: 'initialize', override: true } as const;
  dynamo.middlewareStack.add((next) => (given) => (calls++, next(given)), counted);
  const used = { own: 0, database: 0, calls: 0 };
  const measured = async (work: (nth: number) => Promise<void>): Promise<number> => {
    const before = { own: ownCpuMs(), database: cpuMsUnder(process.pid), calls };
    const began = performance.now();
    await inTurns(pairs, work);
    const ms = performance.now() - began;
    used.own += ownCpuMs() - before.own;
    used.database += cpuMsUnder(process.pid) - before.database;
    used.calls += calls - before.calls;
    return ms;
  };
  const requestsMs = await measured(async (nth) => void (ids[nth] = await request(nth, phones[nth] ?? '')));
  // the messages go out beside the request in life: what they hold is read here, unmeasured as the other's
  await fixture.testApp.drain();
  const codes = new Map(
    fixture.provider.requests.map(({ body }) => [String(body['to']), /"text":"(\d{6})"/.exec(JSON.stringify(body))?.[1] ?? '']),
  );
  const checksMs = await measured((nth) => check(nth, ids[nth] ?? '', codes.get(phones[nth] ?? '') ?? ''));
  const whole = { requestsMs, checksMs, ownCpuMs: used.own, databaseCpuMs: used.database, calls: used.calls };
  // the cheapest call there is, as often as at once
  const beforeCalls = ownCpuMs();
  await inTurns(pairs, async (nth) => void (await getRequest(caller.company.id, ids[nth] ?? '')));
  return { ...whole, callCpuMs: (ownCpuMs() - beforeCalls) / pairs };
}

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

async function inTurns(count: number, work: (nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
