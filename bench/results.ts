import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type Figure, units } from './scenario.ts';

/**
 * bench/results.json: the last kept result of every scenario, with its day and machine. A whole run takes long, so it is built up from runs of
 * single scenarios. What is deterministic has its value in the baseline; here it has its unit and its target.
 */
const file = join(import.meta.dirname, 'results.json');
const result = z.object({
  day: z.string(),
  machine: z.string(),
  /** Programs that wanted a core, of the last five minutes. */
  load: z.number().optional(),
  figures: z.array(
    z.object({
      name: z.string(),
      unit: z.enum(units),
      value: z.number(),
      atMost: z.number().optional(),
      atLeast: z.number().optional(),
      isGoal: z.boolean().optional(),
    }),
  ),
});
const results = z.record(z.string(), result);
export type Results = z.output<typeof results>;

export const readResults = (): Results => (existsSync(file) ? results.parse(JSON.parse(readFileSync(file, 'utf8'))) : {});

export const storeResult = (scenario: string, figures: readonly Figure[]): void => {
  const stored = {
    ...readResults(),
    [scenario]: { day: new Date().toISOString().slice(0, 10), machine, load: Math.round(loadavg()[1] ?? 0), figures },
  };
  const sorted = Object.fromEntries(Object.entries(stored).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
};

/** What times were taken on. */
export const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}, Node ${process.version}`;
