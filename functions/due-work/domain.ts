import { hourMs } from '../../shared/runtime/clock.ts';

/**
 * A tick covers from the watermark to the horizon. The scheduler may be late by up to a minute, so the horizon lies two ticks ahead and
 * a little; what is written with a due time inside it is placed at once by the stream consumer, whose reach is longer still.
 */
export const horizonMs = 130_000;

/** Due times nearer than this, when written, are placed by the stream consumer: the dispatcher may have passed them already. */
export const streamPlacementMs = 200_000;

/** How far back the very first tick looks. */
export const firstLookBackMs = hourMs;

/** The stretch of time a tick must place, epoch milliseconds, both ends included. */
export const placementWindow = (watermarkMs: number | undefined, nowMs: number): { fromMs: number; toMs: number } => ({
  fromMs: watermarkMs ?? nowMs - firstLookBackMs,
  toMs: nowMs + horizonMs,
});

/**
 * The index follows its items with some delay. What it showed too late for its tick is found by a second look at the same stretch, ten minutes
 * after it fell due; placing what still waits a second time is harmless. After missed ticks the two looks never overlap.
 * What was skipped after a restore stays so.
 */
export const secondLook = ({ fromMs, toMs }: { fromMs: number; toMs: number }, skippedToMs: number): { fromMs: number; toMs: number } => ({
  fromMs: Math.max(skippedToMs, fromMs - secondLookMs),
  toMs: Math.min(toMs - secondLookMs, fromMs),
});

const secondLookMs = horizonMs + 600_000;

/**
 * From when on a tick reads a partition. One that was added since the last tick may hold what other functions wrote before this one knew of it:
 * a deploy replaces functions one by one.
 */
export const partitionFrom = (fromMs: number, nowMs: number, isNew: boolean): number =>
  isNew ? Math.min(fromMs, nowMs - firstLookBackMs) : fromMs;

/** Whole seconds to wait so that work is never early; 0 when it is due already. */
export const delaySeconds = (dueAtMs: number, nowMs: number): number => Math.max(0, Math.ceil((dueAtMs - nowMs) / 1_000));
