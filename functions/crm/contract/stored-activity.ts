import * as z from 'zod';

/** An entry of a lead's timeline. `k` orders it by time, record and version; `i` is its id. */
export const storedActivity = z.object({
  k: z.string(),
  i: z.int(),
  t: z.string(),
  /** The id of the user; 0 for the system. */
  by: z.int(),
  d: z.record(z.string(), z.unknown()),
});
export type Activity = z.output<typeof storedActivity>;
