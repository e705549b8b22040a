import { join } from 'node:path';
import * as z from 'zod';
import { startStage } from '../../test/verification/stage.ts';
import { installPeer, runPeer, startPostgres } from '../peers/servers.ts';
import type { Scenario } from '../scenario.ts';

const pairs = Number(process.env['PAIRS'] ?? 1_000);
const concurrency = 16;
const times = z.object({ requestsMs: z.number(), checksMs: z.number() });
type Times = z.output<typeof times>;

export const scenario: Scenario = {
  name: 'verification-peer',
  what: `${pairs.toLocaleString('en')} pairs of request and right code, ${concurrency} at once: ours with all guards on the emulated table, better-auth's phone plugin on PostgreSQL 15`,
  deterministic: false,
  measure: async () => {
    const folder = installPeer('better-auth');
    const measurePeer = async (): Promise<Times> => {
      await using postgres = await startPostgres();
      const env = { POSTGRES_URL: postgres.url, PAIRS: `${pairs}`, CONCURRENCY: `${concurrency}` };
      return times.parse(await runPeer(join(folder, 'pairs.mjs'), env));
    };
    // before, between and after: the machine's own changes fall on both
    const theirs = [await measurePeer()];
    const ours = [await measureOurs()];
    theirs.push(await measurePeer());
    ours.push(await measureOurs());
    theirs.push(await measurePeer());
    const perSecond = (all: readonly Times[], pick: (each: Times) => number): number =>
      (pairs * all.length * 1_000) / all.reduce((sum, each) => sum + pick(each), 0);
    const both = ({ requestsMs, checksMs }: Times): number => requestsMs + checksMs;
    return [
      { name: 'ours, pairs', unit: 'per second', value: perSecond(ours, both) },
      { name: 'ours, requests', unit: 'per second', value: perSecond(ours, ({ requestsMs }) => requestsMs) },
      { name: 'ours, checks', unit: 'per second', value: perSecond(ours, ({ checksMs }) => checksMs) },
      { name: 'better-auth, pairs', unit: 'per second', value: perSecond(theirs, both) },
      { name: 'better-auth, requests', unit: 'per second', value: perSecond(theirs, ({ requestsMs }) => requestsMs) },
      { name: 'better-auth, checks', unit: 'per second', value: perSecond(theirs, ({ checksMs }) => checksMs) },
      { name: 'ours to theirs, pairs', unit: 'x', value: perSecond(ours, both) / perSecond(theirs, both) },
    ];
  },
};

async function measureOurs(): Promise<Times> {
  await using stage = await startStage();
  const caller = await stage.newCaller();
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
  for (let nth = 0; nth < 50; nth++) await request(nth, stage.newPhone());
  const phones = Array.from({ length: pairs }, () => stage.newPhone());
  const ids: string[] = [];
  const beganRequests = performance.now();
  await inTurns(pairs, async (nth) => void (ids[nth] = await request(nth, phones[nth] ?? '')));
  const requestsMs = performance.now() - beganRequests;
  // the messages go out beside the request in life: what they hold is read here, unmeasured as the other's
  await stage.world.drain();
  const codes = new Map(
    stage.provider.requests.map(({ body }) => [String(body['to']), /"text":"(\d{6})"/.exec(JSON.stringify(body))?.[1] ?? '']),
  );
  const beganChecks = performance.now();
  await inTurns(pairs, (nth) => check(nth, ids[nth] ?? '', codes.get(phones[nth] ?? '') ?? ''));
  return { requestsMs, checksMs: performance.now() - beganChecks };
}

async function inTurns(count: number, work: (nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
