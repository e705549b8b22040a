import { issueToken } from '../../functions/account/service/tokens.ts';
import { unwrap } from '../../test/support/company.ts';
import { type Product, startProduct } from '../../test/support/product.ts';
import { cpuBelow, memoryBelow } from '../processes.ts';
import { asOperator, idleCpuAMinute, pause, percentile, productProcesses, timeOf } from '../running.ts';
import type { Figure, Scenario } from '../scenario.ts';

/** As many as no token's limit of reads a minute refuses. */
const calls = 8_000;
const tokens = 8;
const concurrency = 16;

export const scenario: Scenario = {
  name: 'laptop',
  description: `The running product with its demo companies, as \`npm run dev\` starts it: how long until it is ready, memory and CPU at rest, first pages, and GET /me ${concurrency} at once`,
  deterministic: false,
  measure: async () => {
    const began = performance.now();
    await using product = await startProduct();
    const ready = performance.now() - began;
    await product.idle();
    await pause(5_000);
    const memory = memoryBelow(productProcesses);
    const idle = await idleCpuAMinute(30);
    return [
      { name: 'from the command to the ready line, in an empty folder', unit: 'ms', value: Math.round(ready), atMost: 10_000 },
      { name: 'at rest after the start, memory', unit: 'MB', value: Math.round(memory), atMost: 400 },
      { name: 'at rest after the start, CPU a minute', unit: 'ms', value: idle },
      ...(await firstPages(product)),
      ...(await getMe(product)),
      { name: 'after the calls, memory', unit: 'MB', value: Math.round(memoryBelow(productProcesses)) },
    ];
  },
};

const pages = ['contacts', 'conversations', 'campaigns', 'templates'];

async function firstPages(product: Product): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const page of pages) {
    const call = () => timeOf(() => product.asOwner({ method: 'GET', path: `/api/v1/${page}`, query: { limit: 20 } }));
    const times: number[] = [];
    // the first calls load the function
    for (let nth = 0; nth < 60; nth++) times.push(await call());
    figures.push({ name: `first page of ${page}, p50`, unit: 'ms', value: percentile(times.slice(20), 0.5), atMost: 20, isGoal: true });
  }
  return figures;
}

async function getMe(product: Product): Promise<Figure[]> {
  const [company] = product.demo.companies;
  if (!company) throw new Error('There is no demo company.');
  const secrets: string[] = [];
  await asOperator(product, async () => {
    while (secrets.length < tokens)
      secrets.push(unwrap(await issueToken(company.id, { user_id: 1, name: `Bench ${secrets.length}` })).secret);
  });
  const times: number[] = [];
  const inTurns = async (count: number): Promise<void> => {
    let next = 0;
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (next < count)
          times.push(await timeOf(() => product.http({ method: 'GET', path: '/api/v1/me', token: secrets[next++ % tokens] ?? '' })));
      }),
    );
  };
  await inTurns(1_000);
  times.length = 0;
  const before = cpuBelow(productProcesses);
  const began = performance.now();
  await inTurns(calls);
  const seconds = (performance.now() - began) / 1_000;
  return [
    { name: 'GET /me', unit: 'per second', value: Math.round(calls / seconds), atLeast: 900, isGoal: true },
    {
      name: 'GET /me, CPU of the product and its table a call',
      unit: 'ms',
      value: ((cpuBelow(productProcesses) - before) * 1_000) / calls,
    },
    { name: 'GET /me, p95', unit: 'ms', value: percentile(times, 0.95) },
  ];
}
