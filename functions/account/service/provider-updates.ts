import { now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { equals, exists } from '../../../shared/table/condition.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { NumberState } from '../contract/number-state.ts';
import { getNumberItem, updateNumberPart, listAllNumbers, type NumberItem } from '../store/number.ts';

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

/**
 * Stores what a read of a number found, and when. Where the number was written since the read began, a webhook may have brought what is newer:
 * then nothing is stored until the next read. 1 RRU, 1 WRU.
 */
export const recordNumberCheck = async (
  { companyId, id }: { companyId: number; id: number },
  startedAt: number,
  state: Partial<NumberState>,
): Promise<void> => {
  const seen = await getNumberItem(companyId, id);
  if (!seen || seen.updatedAt >= startedAt) return;
  const isSame = Object.entries(state).every(([name, value]) => canonical(seen[name as keyof NumberState] ?? null) === canonical(value));
  const set = { ...state, checkedAt: startedAt, ...(isSame ? {} : { updatedAt: now() }) };
  await commit({ number: updateNumberPart(seen, { set }, equals('updatedAt', seen.updatedAt)) });
};

async function updateNumbers(companyId: number, isMatch: (number: NumberItem) => boolean, set: Partial<NumberState>): Promise<void> {
  if (Object.keys(set).length === 0) return;
  const matching = (await listAllNumbers(companyId)).filter(isMatch);
  if (matching.length > 0)
    await commit(matching.map((number) => updateNumberPart(number, { set: { ...set, updatedAt: now() } }, exists())));
}
