import { Conflict } from '../../../shared/table/conflict.ts';

/** Writes race by `rev`: who lost reads again. After so many lost races the call fails, and may be repeated. */
export const maxAttempts = 16;

/** The stack answers it with 503 and Retry-After, a worker's queue with another delivery. */
export class Contended extends Conflict {}

export const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 10 * 2 ** attempt)));
