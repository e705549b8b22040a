/** The clock. Tests and the local runner move it by replacing Date. */

/** Epoch milliseconds. */
export const now = (): number => Date.now();

/** A time in API bodies and in the table: ISO 8601, UTC, with microseconds. */
export const isoTime = (epochMs: number): string => `${new Date(epochMs).toISOString().slice(0, -1)}000Z`;

/** Epoch milliseconds of a time written by isoTime. */
export const epochMs = (iso: string): number => Date.parse(iso);

export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/**
 * The time of everybody else, epoch milliseconds: what a receiver checks by its own clock is stamped with it. On the laptop the product's own
 * time may have been moved (lib/local/moved-date.mjs); on AWS both are one.
 */
export const worldNow = (): number => {
  const real: unknown = Reflect.get(globalThis, Symbol.for('switchboard.real-now'));
  return typeof real === 'function' ? Number(real()) : now();
};
