import type { Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { type Company, updateCompanyById } from '../store/company.ts';
import { listAllNumbers, updateNumberStatusOfCompany } from '../store/number.ts';
import { listAllProfiles, updateProfileById } from '../store/verification-profile.ts';
import { missingCompany } from './companies.ts';
import { updateCredentialsOfCompany } from './credentials-of-company.ts';

/** The company alone, before its parts. The first suspension's time stays until the company has resumed. */
export const setCompanyStatus = async (companyId: number, status: Company['status']): Promise<Company | Problem<'not_found'>> => {
  const at = now();
  const setOnce = status === 'suspended' ? { setOnce: { suspendedAt: at } } : {};
  const written = await updateCompanyById(companyId, { set: { status, updatedAt: at }, ...setOnce });
  return written.done ? written.item : missingCompany(companyId);
};

/** Credentials, numbers and profiles hold the status of their company. */
export const setStatusOfParts = async (companyId: number, status: Company['status']): Promise<void> => {
  const companyStatus = status === 'suspended' ? ('suspended' as const) : undefined;
  const [numbers, profiles] = await Promise.all([
    listAllNumbers(companyId, { consistent: true }),
    listAllProfiles(companyId, { consistent: true }),
  ]);
  await Promise.all([
    ...numbers.map((number) => updateNumberStatusOfCompany(number, companyStatus)),
    ...profiles.map(({ id }) => updateProfileById(companyId, id, { set: { companyStatus } })),
  ]);
  await updateCredentialsOfCompany(companyId, { set: { companyStatus: status } });
};

/** When all that the suspension held back goes on again. */
export const forgetSuspension = async (company: Company): Promise<Company> => {
  const ended = await updateCompanyById(company.companyId, { remove: ['suspendedAt'] });
  return ended.done ? ended.item : company;
};
