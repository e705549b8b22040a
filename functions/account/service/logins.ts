import { isProblem } from '../../../shared/contract/problems.ts';
import type { Company } from '../store/company.ts';
import { getUserById, listLogins, putLogin, type User } from '../store/user.ts';
import { requireCompany } from './companies.ts';

export interface Login {
  company: Company;
  user: User;
}

/** Most companies of one email address that are looked at. */
const mostCompanies = 50;

/** The active users with this email address, in active companies, by company. */
export const listActiveLogins = async (email: string): Promise<Login[]> => {
  const address = email.toLowerCase();
  const found = (await listLogins(address)).slice(0, mostCompanies);
  const logins = await Promise.all(
    found.map(async ({ companyId, userId }) => {
      const login = await getActiveLogin(companyId, userId);
      return login?.user.email === address ? [login] : [];
    }),
  );
  return logins.flat();
};

/** The user, if active, with its company, if active. */
export const getActiveLogin = async (companyId: number, userId: number): Promise<Login | undefined> => {
  const [company, user] = await Promise.all([requireCompany(companyId), getUserById(companyId, userId, { consistent: true })]);
  return !isProblem(company) && company.status === 'active' && user?.status === 'active' ? { company, user } : undefined;
};

/** Whether the email address is one of an active user. */
export const isEmailOfUser = async (email: string): Promise<boolean> => (await listActiveLogins(email)).length > 0;

/** A user of before 2026-11-23 has none. */
export const recordLogin = (user: User): Promise<void> => putLogin(user);
