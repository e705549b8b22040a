import type { Problem } from '../../../shared/contract/problems.ts';
import { hourMs, now } from '../../../shared/runtime/clock.ts';
import { placeDueWorkAgain } from '../../dispatch/service.ts';
import { resumeSends, suspendSends } from '../../messaging/service/suspension.ts';
import { resumeDeliveries, suspendDeliveries } from '../../webhooks/service/suspension.ts';
import type { CompanyRecord } from '../contract.ts';
import { type Company, updateCompanyById } from '../store/company.ts';
import { listAllNumbers, updateNumberStatusOfCompany } from '../store/number.ts';
import { listAllProfiles, updateProfileById } from '../store/verification-profile.ts';
import { missingCompany } from './companies.ts';
import { updateCredentialsOfCompany } from './credentials-of-company.ts';
import { toCompanyRecord } from './records.ts';

/**
 * Stops a company: every credential is refused from the next call on, and nothing is sent for it. Workers meet the suspension in the items
 * that they read or write for each send: the pace of the number, the number, the profile, the lease of the endpoint. Work that falls due
 * waits. The company is written first: what is created after it is suspended from the start, so the lists read then are complete. Repeating
 * the call finishes the work of a crashed one. See docs/decisions/suspension.md.
 */
export const suspendCompany = async (companyId: number): Promise<CompanyRecord | Problem<'not_found'>> => {
  const at = now();
  const written = await updateCompanyById(companyId, { set: { status: 'suspended', updatedAt: at }, setOnce: { suspendedAt: at } });
  if (!written.done) return missingCompany(companyId);
  const numbers = await listAllNumbers(companyId);
  await Promise.all(numbers.map((number) => suspendSends(number)));
  await setStatusOfParts(companyId, 'suspended');
  await suspendDeliveries(companyId);
  return toCompanyRecord(written.item);
};

/** Lets a company continue: calls are accepted, and what fell due meanwhile is placed again, last, when nothing refuses it any more. */
export const resumeCompany = async (companyId: number): Promise<CompanyRecord | Problem<'not_found'>> => {
  const written = await updateCompanyById(companyId, { set: { status: 'active', updatedAt: now() } });
  if (!written.done) return missingCompany(companyId);
  await setStatusOfParts(companyId, 'active');
  const numbers = await listAllNumbers(companyId);
  await Promise.all(numbers.map((number) => resumeSends(number)));
  await resumeDeliveries(companyId);
  const { suspendedAt } = written.item;
  if (suspendedAt === undefined) return toCompanyRecord(written.item);
  await placeDueWorkAgain(companyId, suspendedAt - maxQueuedMs);
  const ended = await updateCompanyById(companyId, { remove: ['suspendedAt'] });
  return toCompanyRecord(ended.done ? ended.item : written.item);
};

/** Work that fell due this long before the suspension may still have been on a queue when it began. */
const maxQueuedMs = 6 * hourMs;

/** Credentials, numbers and profiles hold the status of their company. */
async function setStatusOfParts(companyId: number, status: Company['status']): Promise<void> {
  const companyStatus = status === 'suspended' ? ('suspended' as const) : undefined;
  const [numbers, profiles] = await Promise.all([listAllNumbers(companyId), listAllProfiles(companyId)]);
  await Promise.all([
    ...numbers.map((number) => updateNumberStatusOfCompany(number, companyStatus)),
    ...profiles.map(({ id }) => updateProfileById(companyId, id, { set: { companyStatus } })),
  ]);
  await updateCredentialsOfCompany(companyId, { set: { companyStatus: status } });
}
