import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { Company } from '../store/company.ts';
import { getUserById, listLogins, putLogin, updateLogin, type User } from '../store/user.ts';
import { requireCompany } from './companies.ts';

export interface Login {
  company: Company;
  user: User;
  /** When the user last signed in there by a code, epoch milliseconds. Absent: never, so the user has not accepted to be one of it. */
  signedInAt?: number | undefined;
}

/** Most companies of one email address that are looked at. */
const mostCompanies = 50;

/** The active users with this email address, in active companies: where it signed in last comes first, where it never did last. */
export const listActiveLogins = async (email: string): Promise<Login[]> => {
  const address = email.toLowerCase();
  const found = (await listLogins(address)).slice(0, mostCompanies);
  const logins = await Promise.all(
    found.map(async ({ companyId, userId, signedInAt }) => {
      const login = await getActiveLogin(companyId, userId);
      return login?.user.email === address ? [{ ...login, signedInAt }] : [];
    }),
  );
  return logins.flat().toSorted((one, other) => (other.signedInAt ?? 0) - (one.signedInAt ?? 0));
};

/** The user, if active, with its company, if active. */
export const getActiveLogin = async (companyId: number, userId: number): Promise<Login | undefined> => {
  const [company, user] = await Promise.all([requireCompany(companyId), getUserById(companyId, userId, { consistent: true })]);
  return !isProblem(company) && company.status === 'active' && user?.status === 'active' ? { company, user } : undefined;
};

export interface Mailbox {
  company: Company;
  user: User;
  /** Whether a code has proven that the user reads it. */
  isConfirmed: boolean;
}

/** The user, active or not, with its company, and whether the email address is the user's own; undefined: there is no such user. 3 RRU. */
export const getMailbox = async (companyId: number, userId: number): Promise<Mailbox | undefined> => {
  const [company, user] = await Promise.all([requireCompany(companyId), getUserById(companyId, userId, { consistent: true })]);
  if (isProblem(company) || !user) return undefined;
  const logins = await listLogins(user.email);
  const own = logins.find((login) => login.companyId === companyId && login.userId === userId);
  return { company, user, isConfirmed: own?.signedInAt !== undefined };
};

/** Whether the email address is one of an active user. */
export const isEmailOfUser = async (email: string): Promise<boolean> => (await listActiveLogins(email)).length > 0;

/** A user of before 2026-11-23 has none. */
export const recordLogin = (user: User): Promise<void> => putLogin(user);

/** The user has accepted to be one of the company: a code proved the email address, and it was signed in there. */
export const recordSignIn = ({ user }: Login): Promise<void> => updateLogin(user, now());

/** The email address of the user who added one; undefined: the operator did, or it is not known. */
export const adderOf = async ({ user: { companyId, addedBy } }: Login): Promise<string | undefined> =>
  addedBy === undefined ? undefined : (await getUserById(companyId, addedBy))?.email;
