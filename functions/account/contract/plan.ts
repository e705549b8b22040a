import * as z from 'zod';

const limit = z.int({ error: 'Must be a whole number.' }).min(0, { error: 'Must not be negative.' }).nullable();

/** Null: no limit (G24). */
export const planLimits = z.object({ contacts: limit, users: limit, numbers: limit, pipelines: limit });
export type PlanLimits = z.output<typeof planLimits>;
