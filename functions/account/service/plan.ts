import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { PlanLimits } from '../contract/plan.ts';

/** The problem of a reached plan limit, with the limit and how much is used (G4). */
export const planLimitProblem = (resource: keyof PlanLimits, limit: number | null, used: number): Problem<'plan_limit_reached'> =>
  problem('plan_limit_reached', { message: `The plan allows ${limit} ${resource}.`, details: { resource, limit, used } });
