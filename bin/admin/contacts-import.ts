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
import { lockPidFile } from '../../lib/local/data-folder.ts';
import { now } from '../../shared/runtime/clock.ts';
import { Failure, UsageError } from './failure.ts';
import { Progress } from './progress.ts';

/**
 * Imports a file slice by slice with the service of the API's imports. After each slice the progress is written to a file beside the CSV file,
 * so that the same command continues after any interruption. An interrupted slice is repeated with the same result.
 */
export const importFile = async (
  file: string,
  company: number,
  { errorsFile, restart }: { errorsFile: string; restart: boolean },
): Promise<Imported> => {
  const stateFile = `${file}.company-${company}.progress.json`;
  const found = describe(file);
  const unlock = lockPidFile(`${stateFile}.pid`);
  if (!unlock) throw new Failure(`Another import of ${file} is running.`);
  try {
    return await importSlices(file, company, found, stateFile, { errorsFile, restart });
  } finally {
    unlock();
  }
};

async function importSlices(
  file: string,
  company: number,
  found: FileState,
  stateFile: string,
  { errorsFile, restart }: { errorsFile: string; restart: boolean },
): Promise<Imported> {
  if (restart) rmSync(stateFile, { force: true });
  let state = readState(stateFile, found) ?? newState(found);
  const resumedAt = state.counts.rows > 0 ? state.line : undefined;
  if (state.errorBytes === 0) rmSync(errorsFile, { force: true });
  else truncate(errorsFile, state.errorBytes);
  const progress = new Progress();
  const stop = stopOnInterrupt();
  try {
    for (let isLast = false; !isLast; ) {
      if (stop.isRequested) throw new Failure(`Stopped at line ${state.line}. Run the same command again to continue.`);
      const since = state.sliceStartedAt ?? now();
      state = { ...state, sliceStartedAt: since };
      writeState(stateFile, state);
      const read = await readSlice(state, createReadStream(file, { start: state.cursor }));
      if ('refused' in read) {
        rmSync(stateFile, { force: true });
        throw new Failure(`${file}: ${read.refused}`);
      }
      const results = await importSliceRows({ companyId: company, subscribesNew: undefined }, read, since);
      const failed = results.filter(hasErrors);
      const lines = `${state.errorBytes === 0 && failed.length > 0 ? toErrorHeader(read.header) : ''}${failed.map(toErrorLine).join('')}`;
      append(errorsFile, lines);
      const { sliceStartedAt: _done, ...rest } = state;
      state = {
        ...rest,
        cursor: read.next,
        line: read.nextLine,
        delimiter: read.delimiter,
        header: [...read.header],
        columns: [...read.columns],
        counts: addToCounts(state.counts, results),
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
}

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

/** The progress of an earlier run, if the file is unchanged since then. */
function readState(stateFile: string, found: FileState): State | undefined {
  if (!existsSync(stateFile)) return undefined;
  let raw: unknown;
  try {
    raw = JSON.parse(readFileSync(stateFile, 'utf8'));
  } catch {
    raw = undefined;
  }
  const state = stateSchema.safeParse(raw);
  if (!state.success) throw new Failure(`${stateFile} is not a progress file of an import. Start over with --restart.`);
  if (state.data.bytes !== found.bytes || state.data.modifiedAt !== found.modifiedAt)
    throw new Failure('The file has changed since its import was interrupted. Start over with --restart.');
  return state.data;
}

/** Replaces the file atomically, so that a crash leaves the former state. */
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

/** Removes the rows of an interrupted slice, which writes them again. */
function truncate(file: string, bytes: number): void {
  if (!existsSync(file) || statSync(file).size < bytes) throw new Failure(`${file} is missing or too short. Start over with --restart.`);
  truncateSync(file, bytes);
}

/** The first interrupt stops after the current slice; a second one ends the process at once. */
function stopOnInterrupt(): { readonly isRequested: boolean; end: () => void } {
  let isRequested = false;
  const onInterrupt = (): void => {
    isRequested = true;
  };
  process.once('SIGINT', onInterrupt);
  return {
    get isRequested() {
      return isRequested;
    },
    end: () => process.off('SIGINT', onInterrupt),
  };
}

const describeCounts = ({ rows, created, updated, failed, skippedLimit }: State['counts']): string =>
  `${rows} rows, ${created} created, ${updated} updated${failed + skippedLimit > 0 ? `, ${failed + skippedLimit} failed` : ''}`;
