import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import { isOfAccount } from '../../templates/contract/account.ts';
import type { SendingAccount } from '../../templates/service/templates.ts';
import { lastNumberId } from '../../service-window/service.ts';

/** What a template must belong to, to be sent from a number. */
export const sendingAccountOf = (number: BusinessNumber | undefined, numbers: readonly BusinessNumber[]): SendingAccount => ({
  accountId: number?.wabaId,
  accountIds: numbers.map(({ wabaId }) => wabaId),
});

/** What decides from which number a message leaves. */
export interface NumberRequest {
  /** The number that the caller names. */
  numberId?: number | undefined;
  /** Undefined: the contact is new to the company. */
  contactId?: number | undefined;
  /** A template is sent from the numbers of its account alone. */
  template?: { wabaId?: string | undefined } | undefined;
}

/**
 * The number that a message to a contact leaves from: the one that the caller names, else the one that the contact last wrote to, else the
 * company's default number. 0.5 RRU; 0.5 more where a company has several and the caller names none.
 */
export const selectNumber = async (
  companyId: number,
  request: NumberRequest,
): Promise<BusinessNumber | undefined | Problem<'validation_failed'>> => selectFrom(companyId, await listActiveNumbers(companyId), request);

/** The same of numbers that were read before. */
export const selectFrom = async (
  companyId: number,
  numbers: readonly BusinessNumber[],
  { numberId, contactId, template }: NumberRequest,
): Promise<BusinessNumber | undefined | Problem<'validation_failed'>> => {
  const accountIds = numbers.map(({ wabaId }) => wabaId);
  const fitting = template ? numbers.filter(({ wabaId }) => isOfAccount(template, wabaId, accountIds)) : numbers;
  if (numberId !== undefined) {
    const named = numbers.find(({ id }) => id === numberId);
    if (!named) return invalid('number_id', `There is no active number ${numberId}.`);
    return fitting.includes(named) ? named : invalid('number_id', otherAccount(numberId, fitting));
  }
  if (fitting.length < 2 || contactId === undefined) return fitting[0];
  const last = await lastNumberId(companyId, contactId);
  return fitting.find(({ id }) => id === last) ?? fitting[0];
};

const otherAccount = (numberId: number, fitting: readonly BusinessNumber[]): string =>
  `The template is of another business account than number ${numberId}. Numbers of its account: ${fitting.map(({ id }) => id).join(', ')}.`;
