import { replaceDate } from '../../lib/local/moved-date.mjs';

/** The product's time in this process, moved by replacing Date; the emulators in the process follow, so delayed messages fall due. */
export interface TestClock {
  now: () => number;
  advance: (ms: number) => void;
  /** Forward only: time never goes back while a world lives. */
  moveTo: (epochMs: number) => void;
  offset: () => number;
  reset: () => void;
}

let offset = 0;
let replaced = false;

export const testClock = (): TestClock => {
  if (!replaced) replaceDate(() => offset);
  replaced = true;
  return {
    now: () => Date.now(),
    advance: (ms) => {
      offset += Math.max(0, ms);
    },
    moveTo: (epochMs) => {
      offset += Math.max(0, epochMs - Date.now());
    },
    offset: () => offset,
    reset: () => {
      offset = 0;
    },
  };
};
