import type { CrashPoint } from './functions.ts';
import { isObject, type Json } from './json.ts';

/** What goes wrong on purpose, for queue and stream deliveries and for the table. Shares are from 0 to 1. */
export interface Faults {
  /** Deliveries that happen twice. */
  duplicate: number;
  /** Each delivery waits so long, milliseconds. */
  delay_ms: number;
  /** Deliveries that are shuffled and held back. */
  reorder: number;
  /** Deliveries whose environment is killed: half before its effects are done, half after, before the result counts. */
  crash: number;
  /** Table requests that are throttled. */
  throttle_table: number;
  /** Transactions that are cancelled by a conflict. */
  conflict_transactions: number;
  /** How far the table's indexes are behind its items, milliseconds. */
  index_lag_ms: number;
  /** Eventually consistent reads that do not know what was written in the last second or less. */
  stale_reads: number;
  seed: number;
}

/** The faults in force and the dice for them. */
export interface FaultPlan {
  readonly faults: Readonly<Faults>;
  /** Replaces all faults; returns the sentence for each bad field instead when there is one. */
  set(input: Json): Record<string, string> | undefined;
  /** Throws the dice for a share. */
  hits(share: number): boolean;
  /** A whole number from 0 to below `below`. */
  pick(below: number): number;
  /** Where the next delivery crashes, if it does. */
  crashPoint(): CrashPoint | undefined;
}

/** @param onChange called after every change: the table's faults are switched on and off elsewhere */
export const faultPlan = (onChange: (faults: Faults) => void): FaultPlan => {
  let faults: Faults = { ...noFaults };
  let random = mulberry32(0);
  const hits = (share: number): boolean => share > 0 && random() < share;
  const pick = (below: number): number => Math.floor(random() * below);
  return {
    get faults() {
      return faults;
    },
    set: (input) => {
      const problems = problemsOf(input);
      if (Object.keys(problems).length > 0) return problems;
      faults = { ...noFaults, ...(input as Partial<Faults>) };
      random = mulberry32(faults.seed);
      onChange(faults);
      return undefined;
    },
    hits,
    pick,
    crashPoint: () => {
      if (!hits(faults.crash)) return undefined;
      if (pick(2) === 1) return { at: 'end' };
      return pick(2) === 1 ? { at: 'start' } : { at: 'middle', afterMs: 1 + pick(25) };
    },
  };
};

const noFaults: Faults = {
  duplicate: 0,
  delay_ms: 0,
  reorder: 0,
  crash: 0,
  throttle_table: 0,
  conflict_transactions: 0,
  index_lag_ms: 0,
  stale_reads: 0,
  seed: 0,
};

/** Milliseconds, up to a minute; the others but the seed are shares. */
const isDuration = (name: string): boolean => name.endsWith('_ms');

const problemsOf = (input: Json): Record<string, string> => {
  if (!isObject(input)) return { body: 'must be a JSON object' };
  const problems: Record<string, string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (!(name in noFaults)) problems[name] = `is unknown; known are ${Object.keys(noFaults).join(', ')}`;
    else if (typeof value !== 'number' || !Number.isFinite(value)) problems[name] = 'must be a number';
    else if (isDuration(name) && (value < 0 || value > 60_000)) problems[name] = 'must be from 0 to 60000 milliseconds';
    else if (!isDuration(name) && name !== 'seed' && (value < 0 || value > 1)) problems[name] = 'must be a share from 0 to 1';
  }
  return problems;
};

/** A small seeded generator: the same seed, the same throws. */
const mulberry32 = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};
