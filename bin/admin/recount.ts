import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { Command } from 'commander';
import { app } from '../../functions/app.ts';
import { recountCompany, type RecountPlace } from '../../functions/change-stream/service/recount.ts';
import { asCountUpTo, examples, ofCompany } from './argument.ts';
import { UsageError } from './failure.ts';
import { printList } from './output.ts';

/** Rebuilds the projections of a company from its items. */
export const recount = (): Command =>
  examples(
    ofCompany(new Command('recount').description('rebuild totals, lists and statistics of a company from its records; shows what differs'))
      .option('--write', 'put right what differs')
      .option('--wait <seconds>', 'until the change stream has caught up, before what differs is looked at again', '10')
      .option('--segments <n>', `parts of the table that are read side by side, ${mostSegments} at most`, asCountUpTo(mostSegments), 4)
      .option('--place <file>', 'stores in this file how far it came, and goes on from it; the file is removed at the end'),
    'recount --company 1',
    'recount --company 1 --write',
    'recount --company 1 --segments 16 --place recount-of-1',
  ).action(async ({ company, write, wait, segments, place }: RecountInput, command: Command) => {
    const differences = await recountCompany(company, {
      reactions: app.flatMap((context) => context.reactions ?? []),
      recounts: app.flatMap((context) => context.recounts ?? []),
      shouldWrite: write === true,
      untilBrought: () => setTimeout(Number(wait) * 1_000),
      segments,
      ...(place === undefined ? {} : { place: placeIn(place, company) }),
    });
    if (place !== undefined) rmSync(place, { force: true });
    printList(
      command,
      differences.map((each) => ({ ...each })),
      ['projection', 'pk', 'sk', 'stored', 'recounted', 'fields', 'outcome'],
      'Nothing differs.',
    );
  });

interface RecountInput {
  company: number;
  write?: true;
  wait: string;
  segments: number;
  place?: string;
}

/** Where a recount stands, in a file that only its user reads: it holds what the rows hold. Written seldom enough to take little of the time. */
function placeIn(file: string, company: number): NonNullable<Parameters<typeof recountCompany>[1]['place']> {
  const stored = existsSync(file) ? readPlace(file) : undefined;
  if (stored && stored.companyId !== company) throw new UsageError(`${file} is of company ${stored.companyId}.`);
  if (stored) process.stderr.write(`Goes on from ${file}.\n`);
  let nextAt = performance.now() + storedEveryMs;
  return {
    stored,
    store: (place) => {
      const begun = performance.now();
      if (begun < nextAt) return;
      writeFileSync(`${file}.new`, serialize({ ...format, ...place() }), { mode: 0o600 });
      renameSync(`${file}.new`, file);
      const taken = performance.now() - begun;
      nextAt = begun + Math.max(storedEveryMs, 20 * taken);
    },
  };
}

/** @throws {UsageError} The file is another one. */
function readPlace(file: string): RecountPlace {
  try {
    const place = deserialize(readFileSync(file)) as RecountPlace & Partial<typeof format>;
    if (place.is === format.is) return place;
  } catch {
    // reported below
  }
  throw new UsageError(`${file} is not where a recount stands.`);
}

const format = { is: 'recount 1' } as const;
const storedEveryMs = 5_000;

/** More would bring what one process cannot take in, and would leave less of the table to its other callers. */
const mostSegments = 32;
