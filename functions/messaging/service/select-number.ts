import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import { lastNumberId } from '../../conversations/service/conversations.ts';

/** What decides from which number a message leaves. */
export interface NumberRequest {
  /** The number that the caller names. */
  numberId?: number | undefined;
  /** Undefined: the contact is new to the company. */
  contactId?: number | undefined;
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
  { numberId, contactId }: NumberRequest,
): Promise<BusinessNumber | undefined | Problem<'validation_failed'>> => {
  if (numberId !== undefined)
    return numbers.find(({ id }) => id === numberId) ?? invalid('number_id', `There is no active number ${numberId}.`);
  if (numbers.length < 2 || contactId === undefined) return numbers[0];
  const last = await lastNumberId(companyId, contactId);
  return numbers.find(({ id }) => id === last) ?? numbers[0];
};
