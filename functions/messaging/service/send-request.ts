import { type FieldErrors, invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { parseSchedule, type Schedule } from '../../../shared/runtime/schedule.ts';
import { type Company, getCompany } from '../../account/service/companies.ts';
import { listActiveNumbers, type BusinessNumber } from '../../account/service/numbers.ts';
import { isContactBlocked } from '../../contacts/contract/eligibility.ts';
import { ensureContact, getRecipientIdentities } from '../../contacts/service/contacts.ts';
import { findByIdentities } from '../../contacts/service/find-by-identities.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import { lastInboundAt, serviceWindowOf } from '../../service-window/service.ts';
import { getSpendAccount } from '../../spend/service/spend-accounts.ts';
import { suggestTemplates } from '../../templates/service/templates.ts';
import { getRecipientHold } from '../store/pace.ts';
import { findMessage } from './messages.ts';
import { selectFrom, sendingAccountOf } from './select-number.ts';

/** The fields that every send has. */
export interface SendOptions {
  phone?: string | undefined;
  contact_id?: number | undefined;
  user_id?: string | undefined;
  context_message_id?: string | undefined;
  number_id?: number | undefined;
  scheduled_at?: string | undefined;
  timezone?: string | undefined;
  window_policy?: 'provider' | 'enforce' | undefined;
}

/** The request as the HTTP layer knows it. `spendCompanyLimit` counts it against the caller's rate limit. */
export interface OperationContext {
  operationId: string;
  startedAt: number;
  caller: Pick<Principal, 'userId' | 'credentialId' | 'credentialKind'>;
  spendCompanyLimit: () => Promise<Problem<'rate_limited'> | undefined>;
}

export type SendProblem = Problem<
  | 'validation_failed'
  | 'rate_limited'
  | 'number_missing'
  | 'provider_rejected'
  | 'plan_limit_reached'
  | 'recipient_blocked'
  | 'spend_limit_reached'
  | 'price_unknown'
>;

/** What the table knows of a send before its content is checked. Nothing is written yet. */
export interface SendRequest {
  companyId: number;
  /** Undefined: only the provider's user id of the contact is known. */
  phone: string | undefined;
  userId: string | undefined;
  number: BusinessNumber | undefined;
  /** All active ones of the company. */
  numbers: readonly BusinessNumber[];
  /** Undefined: the phone is new to the company. */
  contactId: number | undefined;
  /** Contacts that became part of it: an earlier try of the same operation may have written its message there. */
  mergedIds: readonly number[];
  /** The provider's id of the message that it answers or reacts to. */
  contextWamid: string | undefined;
  /** Epoch milliseconds; undefined: now. */
  dueAt: number | undefined;
  /** Whether the send must be refused outside the customer service window. */
  isWindowEnforced: boolean;
  /** Whose answers give an unassigned conversation to their sender. */
  assignOnReply: Company['settings']['assignOnReply'];
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
): Promise<SendRequest | Problem<'validation_failed' | 'rate_limited' | 'recipient_blocked'>> => {
  const addressed = await addressOf(companyId, options);
  if (isProblem(addressed)) return addressed;
  const { phone, userId } = addressed;
  const [limited, numbers, company, known, heldUntil] = await Promise.all([
    spendCompanyLimit(),
    listActiveNumbers(companyId),
    getCompany(companyId),
    addressed.contactId === undefined
      ? findByIdentities(companyId, { phone })
      : { contactId: addressed.contactId, mergedIds: addressed.mergedIds, isBlocked: addressed.isBlocked },
    phone === undefined ? undefined : getRecipientHold(companyId, phone),
    // for the charge of the message, which looks for it later in the memory of this process
    getSpendAccount(companyId),
  ]);
  if (limited) return limited;
  if (known?.isBlocked) return problem('recipient_blocked', { details: { contact_id: known.contactId } });
  const { contactId, mergedIds = [] } = known ?? {};
  const number = await selectFrom(companyId, numbers, { numberId: options.number_id, contactId });
  if (isProblem(number)) return number;
  const contextWamid = await wamidOf(companyId, contactId, 'context_message_id', options.context_message_id);
  if (isProblem(contextWamid)) return contextWamid;
  const schedule = parseSchedule(options.scheduled_at, options.timezone ?? company?.timezone ?? 'UTC', startedAt);
  if (schedule.when === 'never') return invalid('scheduled_at', schedule.reason);
  const isWindowEnforced = schedule.when === 'now' && windowPolicyOf(options, company) === 'enforce';
  const dueAt = dueTimeOf(schedule, heldUntil);
  const assignOnReply = company?.settings.assignOnReply ?? 'none';
  return { companyId, phone, userId, number, numbers, contactId, mergedIds, contextWamid, dueAt, isWindowEnforced, assignOnReply };
};

/** Whom the caller names. A contact is written to by its phone, and by the provider's user id where that is all that is known. */
async function addressOf(
  companyId: number,
  { phone, contact_id: contactId, user_id: userId }: SendOptions,
): Promise<Address | Problem<'validation_failed'>> {
  const given = Object.entries({ phone, contact_id: contactId, user_id: userId }).filter(([, value]) => value !== undefined);
  const [[first] = [], [second] = []] = given;
  if (first === undefined) return invalid('phone', 'One of phone, contact_id and user_id is required.');
  if (second !== undefined) return invalid(second, `Not together with ${first}: a message has one recipient.`);
  if (phone !== undefined) {
    const read = await readCompanyPhone(companyId, phone);
    return read.ok
      ? { phone: read.digits, userId: undefined, contactId: undefined, mergedIds: [], isBlocked: false }
      : invalid('phone', read.reason);
  }
  const found = contactId === undefined ? await findByIdentities(companyId, { userId }) : { contactId, mergedIds: [] };
  const id = found?.contactId;
  const known = id === undefined ? undefined : await getRecipientIdentities(companyId, id);
  if (!known) return invalid(first, first === 'contact_id' ? 'There is no such contact.' : 'No contact has this user id.');
  if (known.phone === undefined && known.userId === undefined) return invalid(first, 'The contact has neither phone nor user id.');
  return { contactId: id, mergedIds: found?.mergedIds ?? [], phone: known.phone, userId: known.userId, isBlocked: known.isBlocked };
}

type Address = Pick<SendRequest, 'phone' | 'userId' | 'contactId' | 'mergedIds'> & { isBlocked: boolean };

/** The provider's id of a message that a caller names by it, or by the id that we show. 0.5 RRU for ours. */
export const wamidOf = async (
  companyId: number,
  contactId: number | undefined,
  field: string,
  name: string | undefined,
): Promise<string | undefined | Problem<'validation_failed'>> => {
  if (name === undefined || name.startsWith('wamid.')) return name;
  const id = /^[1-9]\d{0,15}$/.test(name) ? Number(name) : undefined;
  const message = id === undefined || contactId === undefined ? undefined : await findMessage(companyId, contactId, id);
  return message?.wamid ?? invalid(field, 'Must be the wamid or the id of a message of this conversation that was sent.');
};

/** The contact of a checked request; a phone that is new to the company becomes a contact. */
export const resolveRecipient = async (
  request: SendRequest,
): Promise<Recipient | Problem<'number_missing' | 'plan_limit_reached' | 'recipient_blocked'>> => {
  const { companyId, phone, number } = request;
  if (!number) return problem('number_missing');
  if (request.contactId !== undefined) return { ...request, number, contactId: request.contactId };
  if (phone === undefined) throw new Error('A recipient without a contact has a phone.');
  const ensured = await ensureContact(companyId, { phone, source: 'api' });
  if (isProblem(ensured)) return ensured;
  const { contact } = ensured;
  // a contact that was deleted comes back as it was
  if (isContactBlocked(contact)) return problem('recipient_blocked', { details: { contact_id: contact.id } });
  return { ...request, number, contactId: contact.id };
};

/** Where an open window is demanded and it is closed: a Problem with templates that could be sent instead, which need no window. */
export const checkWindow = async ({
  companyId,
  contactId,
  number,
  numbers,
  isWindowEnforced,
}: Recipient): Promise<Problem<'window_closed'> | undefined> => {
  if (!isWindowEnforced || serviceWindowOf(await lastInboundAt(companyId, contactId, number.id), now()).open) return undefined;
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
export function dueTimeOf(schedule: Schedule, heldUntilMs: number | undefined): number | undefined {
  const at = schedule.when === 'later' ? schedule.atMs : undefined;
  const held = heldUntilMs !== undefined && heldUntilMs > now() ? heldUntilMs : undefined;
  return at === undefined || held === undefined ? (at ?? held) : Math.max(at, held);
}
