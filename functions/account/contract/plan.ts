import * as z from 'zod';

const limit = z.int({ error: 'Must be a whole number.' }).min(0, { error: 'Must not be negative.' }).nullable();

/** Null: no limit (G24). */
export const planLimits = z.object({
  contacts: limit.meta({ description: 'Most contacts.' }),
  users: limit.meta({ description: 'Most active users.' }),
  numbers: limit.meta({ description: 'Most active business numbers.' }),
  pipelines: limit.meta({ description: 'Most pipelines.' }),
});
export type PlanLimits = z.output<typeof planLimits>;
