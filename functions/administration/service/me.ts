import type { Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import type { Profile } from '../../account/contract/me.ts';
import { getProfile } from '../../account/service/profile.ts';
import { pipelineCountOf } from '../../crm/service/count-pipelines.ts';

/** The calling user and the company, with how much of the plan is used. 2.5 RRU. */
export const getMe = (companyId: number, caller: Principal): Promise<Profile | Problem<'token_invalid'>> =>
  getProfile(companyId, caller, pipelineCountOf(companyId));
