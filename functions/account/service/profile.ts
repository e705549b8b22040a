import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import type { ReadPart } from '../../../shared/table/batch-get.ts';
import type { Profile } from '../contract/me.ts';
import { getCompanyAndUser } from '../store/me.ts';
import { listAllNumbers } from '../store/number.ts';
import { toNumberState } from '../domain/number-state.ts';

/** The calling user and the company (A1). `pipelineCount`: of the CRM, read with them. Two parallel reads, 2.5 RRU. */
export const getProfile = async (
  companyId: number,
  caller: Principal,
  pipelineCount: ReadPart<number>,
): Promise<Profile | Problem<'token_invalid'>> => {
  const [{ company, user, contactCount, other: pipelines = 0 }, numbers] = await Promise.all([
    getCompanyAndUser(companyId, caller.userId, pipelineCount),
    listAllNumbers(companyId),
  ]);
  if (!company || !user) return problem('token_invalid');
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    company_name: company.name,
    company_id: companyId,
    role: caller.role,
    scopes: [...caller.scopes],
    timezone: company.timezone,
    plan: { ...company.plan, usage: { contacts: contactCount, users: company.userCount, numbers: company.numberCount, pipelines } },
    numbers: numbers.map((number) => ({ id: number.id, phone: number.phone, status: number.status, ...toNumberState(number) })),
  };
};
