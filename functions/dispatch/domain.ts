/**
 * A tick covers from the watermark to the horizon. The scheduler may be late by up to a minute, so the horizon lies two ticks ahead and
 * a little; what is written with a due time inside it is placed at once by the stream consumer, whose reach is longer still.
 */
export const horizonMs = 130_000;

/** Due times nearer than this, when written, are placed by the stream consumer: the dispatcher may have passed them already. */
export const streamPlacementMs = 200_000;

/** How far back the very first tick looks. */
export const firstLookBackMs = 3_600_000;

/** The stretch of time a tick must place, epoch milliseconds, both ends included. */
export const placementWindow = (watermarkMs: number | undefined, nowMs: number): { fromMs: number; toMs: number } => ({
  fromMs: watermarkMs ?? nowMs - firstLookBackMs,
  toMs: nowMs + horizonMs,
});

/** Whole seconds to wait so that work is never early; 0 when it is due already. */
export const delaySeconds = (dueAtMs: number, nowMs: number): number => Math.max(0, Math.ceil((dueAtMs - nowMs) / 1_000));
