import type { JournaledChange } from '../../../shared/contract/journal.ts';
import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { CompanyRecord } from '../../account/contract/record.ts';
import { forgetSuspension, setCompanyStatus, setStatusOfParts } from '../../account/service/company-status.ts';
import { listBusinessNumbers } from '../../account/service/numbers.ts';
import { toCompanyRecord } from '../../account/service/records.ts';
import { placeDueWorkAgain } from '../../due-work/service.ts';
import { resumeSends, suspendSends } from '../../messaging/service/suspension.ts';
import { resumeDeliveries, suspendDeliveries } from '../../webhooks/service/suspension.ts';

/**
 * Stops a company: every credential is refused from the next call on, and nothing is sent for it. Workers meet the suspension in the items
 * that they read or write for each send: the pace of the number, the number, the profile, the lease of the endpoint. Work that falls due
 * waits. The company is written first: what is created after it is suspended from the start, so the lists read then are complete. Repeating
 * the call finishes the work of a crashed one. See docs/decisions/suspension.md.
 */
export const suspendCompany = async (companyId: number): Promise<CompanyRecord | Problem<'not_found'>> => {
  const company = await setCompanyStatus(companyId, 'suspended');
  if (isProblem(company)) return company;
  const numbers = await listBusinessNumbers(companyId, { consistent: true });
  await Promise.all(numbers.map((number) => suspendSends(number)));
  await setStatusOfParts(companyId, 'suspended');
  await suspendDeliveries(companyId);
  return toCompanyRecord(company);
};

/** Companies that were suspended since the backup. One that was resumed since stays suspended: the operator resumes it. */
export const restoreSuspensions = async (changes: readonly JournaledChange[]): Promise<number> => {
  const suspended = changes.flatMap(({ image }) => (image?.['status'] === 'suspended' ? [Number(image['companyId'])] : []));
  for (const companyId of suspended) await suspendCompany(companyId);
  return suspended.length;
};

/** Lets a company continue: calls are accepted, and what fell due meanwhile is placed again, last, when nothing refuses it any more. */
export const resumeCompany = async (companyId: number): Promise<CompanyRecord | Problem<'not_found'>> => {
  const company = await setCompanyStatus(companyId, 'active');
  if (isProblem(company)) return company;
  await setStatusOfParts(companyId, 'active');
  const numbers = await listBusinessNumbers(companyId, { consistent: true });
  await Promise.all(numbers.map((number) => resumeSends(number)));
  await resumeDeliveries(companyId);
  if (company.suspendedAt === undefined) return toCompanyRecord(company);
  // from the oldest: what an earlier suspension left may not have been through when this one began
  await placeDueWorkAgain(companyId, 0);
  return toCompanyRecord(await forgetSuspension(company));
};
