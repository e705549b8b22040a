import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberOf, objectOf, parseJson } from './json.ts';
import { replaceDate } from './moved-date.mjs';
import { writeFileAtomically } from './data-folder.ts';
import type { SharedFlags } from './shared-flags.ts';

/** The product's time: the machine's plus an offset that is kept with the data. */
export interface Clock {
  /** The product's time, epoch milliseconds. */
  now(): number;
  /** How far it is ahead, milliseconds. */
  offset: () => number;
  /** Moves it ahead; a smaller offset changes nothing. Durable before it returns. */
  setOffset(ms: number): void;
  /** The machine's time again. Durable before it returns. */
  setBack(): void;
}

/** Replaces Date in this process (the emulators in it follow) and, through the shared cells, in every function environment. */
export const startClock = (folder: string, switches: SharedFlags): Clock => {
  const file = join(folder, 'clock.json');
  if (existsSync(file)) switches.clockOffset = numberOf(objectOf(parseJson(readFileSync(file, 'utf8'))).offset_ms) ?? 0;
  replaceDate(() => switches.clockOffset);
  const write = (ms: number): void => {
    writeFileAtomically(file, JSON.stringify({ offset_ms: ms }));
    switches.clockOffset = ms;
  };
  return {
    now: () => Date.now(),
    offset: () => switches.clockOffset,
    setOffset: (ms) => {
      if (ms > switches.clockOffset) write(ms);
    },
    setBack: () => write(0),
  };
};
