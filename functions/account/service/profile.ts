import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { readHead } from '../../../shared/table/head.ts';
import type { Profile } from '../contract.ts';
import { findCompany } from '../store/company.ts';
import { findNumbers } from '../store/number.ts';
import { findUser } from '../store/user.ts';

/** The caller and the company (A1). Four reads side by side, 2 RRU. */
export const readProfile = async (companyId: number, caller: Principal): Promise<Profile | Problem<'token_invalid'>> => {
  const [company, user, numbers, contacts] = await Promise.all([
    findCompany(companyId),
    findUser(companyId, caller.userId),
    findNumbers(companyId),
    readHead(companyId, 'contact'),
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
