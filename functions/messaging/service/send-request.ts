import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { parseSchedule, type Schedule } from '../../../shared/runtime/schedule.ts';
import { type Company, getCompany } from '../../account/service/companies.ts';
import { listActiveNumbers, type BusinessNumber } from '../../account/service/numbers.ts';
import { contactIdByPhone, ensureContact } from '../../contacts/service.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import { lastInboundAt, windowOf } from '../../conversations/service/conversations.ts';
import { suggestTemplates } from '../../templates/service/templates.ts';
import type { FieldErrors } from '../domain/compose-text.ts';
import { getRecipientHold } from '../store/pace.ts';
import { selectFrom, sendingAccountOf } from './select-number.ts';

/** The fields that every send has. */
export interface SendOptions {
  phone: string;
  number_id?: number | undefined;
  scheduled_at?: string | undefined;
  timezone?: string | undefined;
  window_policy?: 'provider' | 'enforce' | undefined;
}

/** The request as the HTTP layer knows it. `spendCompanyLimit` counts it against the caller's rate limit. */
export interface OperationContext {
  operationId: string;
  startedAt: number;
  spendCompanyLimit: () => Promise<Problem<'rate_limited'> | undefined>;
}

export type SendProblem = Problem<'validation_failed' | 'rate_limited' | 'number_missing' | 'provider_rejected' | 'plan_limit_reached'>;

/** What the table knows of a send before its content is checked. Nothing is written yet. */
export interface SendRequest {
  companyId: number;
  phone: string;
  number: BusinessNumber | undefined;
  /** All active ones of the company. */
  numbers: readonly BusinessNumber[];
  /** Undefined: the phone is new to the company. */
  contactId: number | undefined;
  /** Epoch milliseconds; undefined: now. */
  dueAt: number | undefined;
  /** Whether the send must be refused outside the customer service window. */
  isWindowEnforced: boolean;
}

/** Where a message goes, from which number, and when. */
export interface Recipient extends SendRequest {
  number: BusinessNumber;
  contactId: number;
}

/** Reads what every send depends on, and checks the fields that every send has. */
export const loadSendRequest = async (
  companyId: number,
  options: SendOptions,
  { startedAt, spendCompanyLimit }: OperationContext,
): Promise<SendRequest | Problem<'validation_failed' | 'rate_limited'>> => {
  const read = await readCompanyPhone(companyId, options.phone);
  if (!read.ok) return invalid('phone', read.reason);
  const phone = read.digits;
  const [limited, numbers, company, contactId, heldUntil] = await Promise.all([
    spendCompanyLimit(),
    listActiveNumbers(companyId),
    getCompany(companyId),
    contactIdByPhone(companyId, phone),
    getRecipientHold(companyId, phone),
  ]);
  if (limited) return limited;
  const number = await selectFrom(companyId, numbers, { numberId: options.number_id, contactId });
  if (isProblem(number)) return number;
  const schedule = parseSchedule(options.scheduled_at, options.timezone ?? company?.timezone ?? 'UTC', startedAt);
  if (schedule.when === 'never') return invalid('scheduled_at', schedule.reason);
  const isWindowEnforced = schedule.when === 'now' && windowPolicyOf(options, company) === 'enforce';
  return { companyId, phone, number, numbers, contactId, dueAt: dueTimeOf(schedule, heldUntil), isWindowEnforced };
};

/** The contact of a checked request; a phone that is new to the company becomes a contact. */
export const resolveRecipient = async (request: SendRequest): Promise<Recipient | Problem<'number_missing' | 'plan_limit_reached'>> => {
  const { companyId, phone, number } = request;
  if (!number) return problem('number_missing');
  if (request.contactId !== undefined) return { ...request, number, contactId: request.contactId };
  const ensured = await ensureContact(companyId, { phone, source: 'api' });
  return isProblem(ensured) ? ensured : { ...request, number, contactId: ensured.contact.id };
};

/** Where an open window is demanded and it is closed: a Problem with templates that could be sent instead, which need no window. */
export const checkWindow = async ({
  companyId,
  contactId,
  number,
  numbers,
  isWindowEnforced,
}: Recipient): Promise<Problem<'window_closed'> | undefined> => {
  if (!isWindowEnforced || windowOf(await lastInboundAt(companyId, contactId, number.id), now()).open) return undefined;
  const suggested = await suggestTemplates(companyId, sendingAccountOf(number, numbers));
  return problem('window_closed', {
    details: {
      policy: 'enforce',
      suggested_templates: suggested.map(({ id, name, language, category }) => ({ id, name, language, category })),
    },
  });
};

export const invalidFields = (errors: FieldErrors): Problem<'validation_failed'> => problem('validation_failed', { errors });

const windowPolicyOf = (options: SendOptions, company: Company | undefined): string | undefined =>
  options.window_policy ?? company?.settings.windowPolicy;

/** A recipient whom the provider protects (error 131056) gets nothing before the hold ends, scheduled or not. */
function dueTimeOf(schedule: Schedule, heldUntilMs: number | undefined): number | undefined {
  const at = schedule.when === 'later' ? schedule.atMs : undefined;
  const held = heldUntilMs !== undefined && heldUntilMs > now() ? heldUntilMs : undefined;
  return at === undefined || held === undefined ? (at ?? held) : Math.max(at, held);
}
