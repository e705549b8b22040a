import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { PlanLimits } from '../contract.ts';

/** G4: which limit, how much of it is used. */
export const planLimitProblem = (resource: keyof PlanLimits, limit: number | null, used: number): Problem<'plan_limit_reached'> =>
  problem('plan_limit_reached', { message: `The plan allows ${limit} ${resource}.`, details: { resource, limit, used } });
