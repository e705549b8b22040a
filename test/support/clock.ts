import { AsyncLocalStorage } from 'node:async_hooks';
import { replaceDate } from '../../lib/local/moved-date.mjs';

/** The product's time in this process, moved by replacing Date; the emulators in the process follow, so delayed messages fall due. */
export interface TestClock {
  now: () => number;
  advance: (ms: number) => void;
  /** Forward only: time never goes back while a test app lives. */
  moveTo: (epochMs: number) => void;
  offset: () => number;
  /** Work for which it is so much later, or earlier, than for everybody else: a machine whose clock is wrong. */
  skewed: <T>(ms: number, work: () => T) => T;
  /** Time stands still but for `advance` and `moveTo`, so that how fast this machine is has no part in what is measured. */
  freeze: () => void;
  /** Time runs again, from where it stood. */
  resume: () => void;
  reset: () => void;
}

let offset = 0;
let frozenAt: number | undefined;
let realNow: (() => number) | undefined;
const skew = new AsyncLocalStorage<number>();

const offsetNow = (): number => (frozenAt === undefined || !realNow ? offset : frozenAt - realNow()) + (skew.getStore() ?? 0);

export const testClock = (): TestClock => {
  realNow ??= replaceDate(offsetNow).realNow;
  const advance = (ms: number): void => {
    if (frozenAt === undefined) offset += Math.max(0, ms);
    else frozenAt += Math.max(0, ms);
  };
  return {
    now: () => Date.now(),
    advance,
    moveTo: (epochMs) => advance(epochMs - Date.now()),
    offset: offsetNow,
    skewed: (ms, work) => skew.run(ms, work),
    freeze: () => {
      frozenAt = Date.now();
    },
    resume: () => {
      if (frozenAt !== undefined && realNow) offset = frozenAt - realNow();
      frozenAt = undefined;
    },
    reset: () => {
      offset = 0;
      frozenAt = undefined;
    },
  };
};
