import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundle } from '../../lib/bundle.ts';
import { newToken } from '../../shared/access/token.ts';
import { context, type HttpFunction } from '../../shared/contract/context.ts';
import { usesTable } from '../../shared/contract/resource.ts';
import { app } from '../../functions/app.ts';
import { filledPath, gatewayEvent } from '../../test/support/gateway-event.ts';
import { withFixture, type Scenario } from '../scenario.ts';

const pairs = 9;

export const scenario: Scenario = {
  name: 'cold-start',
  description:
    'CPU of import plus first table call of each HTTP function, as a multiple of a bare handler with the same SDK client, interleaved',
  deterministic: false,
  measure: () =>
    withFixture(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'switchboard-cold-'));
      try {
        return await compare(folder);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
};

const bareContext = context({
  name: 'bare',
  purpose: 'What the product is measured against',
  functions: [{ name: 'bare', entry: 'bench/cold-start/bare.ts', trigger: 'http', routes: {}, uses: [usesTable('UpdateItem')] }],
});

async function compare(folder: string) {
  const { folderOf } = await bundle([...app, bareContext], folder);
  const entryOf = (name: string): string => pathToFileURL(join(folderOf(name), 'main.mjs')).href;
  const functions = app.flatMap((each) => each.functions).filter((each) => each.trigger === 'http');
  const events = new Map(functions.flatMap((spec) => firstCall(spec)));
  const bare: number[] = [];
  const ratios = new Map<string, number[]>();
  for (let pair = 0; pair <= pairs; pair++) {
    const base = await coldStart(entryOf('bare'), {});
    // the first round warms the disk's cache
    if (pair > 0) bare.push(base);
    for (const [name, event] of events) {
      const ratio = (await coldStart(entryOf(name), event)) / base;
      if (pair > 0) ratios.set(name, [...(ratios.get(name) ?? []), ratio]);
    }
  }
  return [
    { name: 'bare handler', unit: 'ms' as const, value: median(bare) },
    ...[...ratios].map(([name, values]) => ({ name, unit: 'x' as const, value: median(values), atMost: 1.45 })),
  ];
}

/** A call with a well-formed token that no one has: checked by one table call, then refused. None where everybody may call everything. */
function firstCall(spec: HttpFunction): [name: string, event: unknown][] {
  const route = Object.values(spec.routes).find(({ caller }) => caller.kind !== 'public');
  if (!route) return [];
  const token = newToken(route.caller.kind === 'erp_token' ? 'erp_token' : 'token');
  const names = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
  const params = Object.fromEntries(names.map((name) => [name, name.endsWith('token') ? newToken('webhook_token') : '1']));
  const call = { method: route.method, path: filledPath(route.path, params), token };
  return [[spec.name, gatewayEvent(app, call, 'cold', Date.now()).event]];
}

async function coldStart(entry: string, event: unknown): Promise<number> {
  const child = join(import.meta.dirname, '../cold-start/child.mjs');
  const env = { ...process.env, COLD_START: JSON.stringify({ entry, event }) };
  const { stdout } = await promisify(execFile)(process.execPath, [child], { env });
  const line = /^COLD (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`A cold start said nothing: ${stdout}`);
  const { ms, status } = JSON.parse(line) as { ms: number; status: number };
  if (status < 400 || status >= 500) throw new Error(`A cold start was answered ${status}.`);
  return ms;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
