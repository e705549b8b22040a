import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import * as z from 'zod';
import { storedColumn } from '../../functions/contacts/contract/import.ts';
import { delimiters } from '../../functions/contacts/domain/imports/csv-reader.ts';
import {
  toErrorHeader,
  toErrorLine,
  hasErrors,
  readSlice,
  addToCounts,
  importSliceRows,
} from '../../functions/contacts/service/imports/read-slice.ts';
import { now } from '../../shared/runtime/clock.ts';
import { Failure, UsageError } from './failure.ts';
import { Progress } from './progress.ts';

/**
 * Imports a file slice by slice through the service that the API's imports use. How far it is stands in a file beside it, written after
 * each slice; so whatever ends it, the same command goes on. A slice that was cut off is worked again to the same end.
 */
export const importFile = async (
  file: string,
  company: number,
  { errorsFile, restart }: { errorsFile: string; restart: boolean },
): Promise<Imported> => {
  const stateFile = `${file}.company-${company}.progress.json`;
  const found = describe(file);
  if (restart) rmSync(stateFile, { force: true });
  let state = readState(stateFile, found) ?? newState(found);
  const resumedAt = state.counts.rows > 0 ? state.line : undefined;
  if (state.errorBytes === 0) rmSync(errorsFile, { force: true });
  else truncate(errorsFile, state.errorBytes);
  const progress = new Progress();
  const stop = stopOnInterrupt();
  try {
    for (let isLast = false; !isLast; ) {
      if (stop.asked) throw new Failure(`Stopped at line ${state.line}. The same command goes on from there.`);
      const since = state.sliceStartedAt ?? now();
      state = { ...state, sliceStartedAt: since };
      writeState(stateFile, state);
      const read = await readSlice(state, createReadStream(file, { start: state.cursor }));
      if ('refused' in read) {
        rmSync(stateFile, { force: true });
        throw new Failure(`${file}: ${read.refused}`);
      }
      const judged = await importSliceRows(company, read, since);
      const bad = judged.filter(hasErrors);
      const lines = `${state.errorBytes === 0 && bad.length > 0 ? toErrorHeader(read.header) : ''}${bad.map(toErrorLine).join('')}`;
      append(errorsFile, lines);
      const { sliceStartedAt: _done, ...rest } = state;
      state = {
        ...rest,
        cursor: read.next,
        line: read.nextLine,
        delimiter: read.delimiter,
        header: [...read.header],
        columns: [...read.columns],
        counts: addToCounts(state.counts, judged),
        errorBytes: state.errorBytes + Buffer.byteLength(lines),
      };
      writeState(stateFile, state);
      isLast = read.isLast;
      progress.show(state.cursor, state.bytes, describeCounts(state.counts));
    }
  } finally {
    stop.end();
    progress.end();
  }
  rmSync(stateFile, { force: true });
  return { ...state.counts, resumedAt, errorsFile: state.errorBytes > 0 ? errorsFile : undefined };
};

export type Imported = State['counts'] & { resumedAt: number | undefined; errorsFile: string | undefined };

const stateSchema = z.object({
  bytes: z.int(),
  modifiedAt: z.number(),
  cursor: z.int(),
  line: z.int(),
  delimiter: z.enum(delimiters).optional(),
  header: z.array(z.string()).optional(),
  columns: z.array(storedColumn).optional(),
  counts: z.object({
    rows: z.int(),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    skippedLimit: z.int(),
  }),
  errorBytes: z.int(),
  sliceStartedAt: z.int().optional(),
});
type State = z.output<typeof stateSchema>;

interface FileState {
  bytes: number;
  modifiedAt: number;
}

function describe(file: string): FileState {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`There is no file ${file}.`);
  if (!stats.isFile()) throw new UsageError(`${file} is not a file.`);
  return { bytes: stats.size, modifiedAt: stats.mtimeMs };
}

const newState = (found: FileState): State => ({
  ...found,
  cursor: 0,
  line: 1,
  counts: { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0, skippedLimit: 0 },
  errorBytes: 0,
});

/** What an earlier run left; another file under the same name is not taken up in the middle. */
function readState(stateFile: string, found: FileState): State | undefined {
  if (!existsSync(stateFile)) return undefined;
  let raw: unknown;
  try {
    raw = JSON.parse(readFileSync(stateFile, 'utf8'));
  } catch {
    raw = undefined;
  }
  const state = stateSchema.safeParse(raw);
  if (!state.success) throw new Failure(`${stateFile} is not what an import writes. Begin anew with --restart.`);
  if (state.data.bytes !== found.bytes || state.data.modifiedAt !== found.modifiedAt)
    throw new Failure('The file has changed since its import was broken off. Begin anew with --restart.');
  return state.data;
}

/** Whole or not at all, whenever the power goes. */
function writeState(stateFile: string, state: State): void {
  const draft = `${stateFile}.new`;
  const handle = openSync(draft, 'w', 0o600);
  writeFileSync(handle, JSON.stringify(state));
  fsyncSync(handle);
  closeSync(handle);
  renameSync(draft, stateFile);
}

function append(file: string, text: string): void {
  if (text === '') return;
  const handle = openSync(file, 'a', 0o600);
  writeFileSync(handle, text);
  fsyncSync(handle);
  closeSync(handle);
}

/** Rows that a slice wrote before it was cut off are written again by that slice. */
function truncate(file: string, bytes: number): void {
  if (!existsSync(file) || statSync(file).size < bytes) throw new Failure(`${file} is gone or cut. Begin anew with --restart.`);
  truncateSync(file, bytes);
}

/** The first interrupt lets the slice end; a second one ends the process as ever. */
function stopOnInterrupt(): { readonly asked: boolean; end: () => void } {
  let asked = false;
  const hear = (): void => {
    asked = true;
  };
  process.once('SIGINT', hear);
  return {
    get asked() {
      return asked;
    },
    end: () => process.off('SIGINT', hear),
  };
}

const describeCounts = ({ rows, created, updated, failed, skippedLimit }: State['counts']): string =>
  `${rows} rows, ${created} created, ${updated} updated${failed + skippedLimit > 0 ? `, ${failed + skippedLimit} not taken` : ''}`;
