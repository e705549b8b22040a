import { listCompanies } from '../../functions/account/service/companies.ts';
import { type Problem, problems } from '../../shared/contract/problems.ts';

/** The command failed: exit code 1. The operator sees the message. */
export class Failure extends Error {
  readonly code: string;
  /** The reasons by field, as the API gives them. */
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined;
  constructor(message: string, code = 'failed', fields?: Readonly<Record<string, readonly string[]>>) {
    super(message);
    this.code = code;
    this.fields = fields;
  }
}

/** The command was used wrongly: exit code 2. */
export class UsageError extends Error {}

/**
 * The result of a service or of a call of the API; throws a Failure for a problem. If a record is missing, the message lists the existing ones: companies, or the
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
  const fields = Object.entries(refusal.errors ?? {}).map(([field, reasons]) => `\n  ${optionNames[field] ?? field}: ${reasons.join(' ')}`);
  const sentence = (refusal.message ?? problems[refusal.problem].title).replace(/\.$/, '');
  const others = refusal.problem === 'not_found' ? await listExisting(companyId, there) : '';
  throw new Failure(`${sentence}${others}.${fields.join('')}`, refusal.problem, refusal.errors);
};

/** Fields of a service whose option has another name. */
const optionNames: Readonly<Record<string, string>> = {
  life_days: '--days',
  settings_json: '--settings',
  overlap_hours: '--overlap-hours',
  phone_number_id: '--phone-number-id',
  waba_id: '--waba-id',
};

/** Refuses an update that names nothing to change. */
export const requireChange = <T extends object>(changes: T): T => {
  if (Object.values(changes).every((value) => value === undefined)) throw new UsageError('Give at least one option to change.');
  return changes;
};

async function listExisting(
  companyId: number | undefined,
  there: (() => Promise<readonly { id: number | string; name?: string }[] | Problem>) | undefined,
): Promise<string> {
  const companies = companyId === undefined ? [] : await listCompanies();
  const isCompanyMissing = companyId !== undefined && !companies.some(({ id }) => id === companyId);
  const known = isCompanyMissing ? companies : await there?.();
  if (!known || 'problem' in known) return '';
  if (known.length === 0) return '; there are none yet';
  const shown = known.slice(0, 20).map(({ id, name }) => (name ? `${id} (${name})` : String(id)));
  return `; there ${known.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${known.length > 20 ? ' and more' : ''}`;
}
