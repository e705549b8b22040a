import { now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { exists } from '../../../shared/table/condition.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { NumberState } from '../contract/number-state.ts';
import { updateNumberPart, listAllNumbers, type NumberItem } from '../store/number.ts';

/** Applies a provider update about a number. Numbers of other companies are ignored. */
export const updateNumberFromProvider = async (
  companyId: number,
  displayPhone: string,
  { quality, messagingLimit, nameStatus }: { [Key in 'quality' | 'messagingLimit' | 'nameStatus']?: string | undefined },
): Promise<void> => {
  const digits = displayPhone.replaceAll(/\D/g, '');
  await updateNumbers(companyId, (number) => number.phone === digits, defined({ quality, messagingLimit, nameStatus }));
};

/** Applies a provider update about the business account, to all its numbers. `accountState` is the provider's value, for example ACTIVE. */
export const updateAccountFromProvider = async (
  companyId: number,
  wabaId: string,
  update: Partial<Pick<NumberState, 'accountState' | 'accountReview' | 'messagingLimit' | 'restrictions'>>,
): Promise<void> => updateNumbers(companyId, (number) => number.wabaId === wabaId, update);

async function updateNumbers(companyId: number, isMatch: (number: NumberItem) => boolean, set: Partial<NumberState>): Promise<void> {
  if (Object.keys(set).length === 0) return;
  const matching = (await listAllNumbers(companyId)).filter(isMatch);
  if (matching.length > 0)
    await commit(matching.map((number) => updateNumberPart(number, { set: { ...set, updatedAt: now() } }, exists())));
}
