import { listCompanies } from '../../functions/account/service/companies.ts';
import { type Problem, problems } from '../../shared/contract/problems.ts';

/** The command failed: exit code 1. The operator sees the message. */
export class Failure extends Error {}

/** The command was used wrongly: exit code 2. */
export class UsageError extends Error {}

/**
 * The result of a service; throws a Failure for a problem. If a record is missing, the message lists the existing ones: companies, or the
 * records that `there` returns.
 */
export const must = async <T extends object>(
  result: Promise<T>,
  companyId?: number,
  there?: () => Promise<readonly { id: number | string; name?: string }[] | Problem>,
): Promise<Exclude<T, Problem>> => {
  const outcome = await result;
  if (!('problem' in outcome)) return outcome as Exclude<T, Problem>;
  const refusal = outcome as unknown as Problem;
  const fields = Object.entries(refusal.errors ?? {}).map(([field, reasons]) => `\n  ${field}: ${reasons.join(' ')}`);
  const sentence = (refusal.message ?? problems[refusal.problem].title).replace(/\.$/, '');
  const others = refusal.problem === 'not_found' ? await listExisting(companyId, there) : '';
  throw new Failure(`${sentence}${others}.${fields.join('')}`);
};

async function listExisting(
  companyId: number | undefined,
  there: (() => Promise<readonly { id: number | string; name?: string }[] | Problem>) | undefined,
): Promise<string> {
  const companies = await listCompanies();
  const isCompanyMissing = companyId !== undefined && !companies.some(({ id }) => id === companyId);
  const known = isCompanyMissing ? companies : await there?.();
  if (!known || 'problem' in known) return '';
  if (known.length === 0) return '; there are none yet';
  const shown = known.slice(0, 20).map(({ id, name }) => (name ? `${id} (${name})` : String(id)));
  return `; there ${known.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${known.length > 20 ? ' and more' : ''}`;
}
