import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import type { Profile } from '../contract.ts';
import { getCompanyById } from '../store/company.ts';
import { listAllNumbers } from '../store/number.ts';
import { getUserById } from '../store/user.ts';

/** The calling user and the company (A1). Four parallel reads, 2 RRU. */
export const getMe = async (companyId: number, caller: Principal): Promise<Profile | Problem<'token_invalid'>> => {
  const [company, user, numbers, contacts] = await Promise.all([
    getCompanyById(companyId),
    getUserById(companyId, caller.userId),
    listAllNumbers(companyId),
    getCounter(companyId, 'contact'),
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
    plan: { ...company.plan, usage: { contacts: contacts.total, users: company.userCount, numbers: company.numberCount } },
    numbers: numbers.map(({ id, phone, status }) => ({ id, phone, status })),
  };
};
