import { now } from '../../../shared/runtime/clock.ts';
import { exists } from '../../../shared/table/condition.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { updateNumberPart, listAllNumbers, type NumberItem } from '../store/number.ts';

/** What the provider says of a company's numbers by itself. Numbers that are not the company's are passed over. */
export const updateNumberFromProvider = async (
  companyId: number,
  displayPhone: string,
  update: { quality?: string | undefined; messagingLimit?: string | undefined },
): Promise<void> => {
  const digits = displayPhone.replaceAll(/\D/g, '');
  await updateNumbers(companyId, (number) => number.phone === digits, {
    ...(update.quality === undefined ? {} : { quality: update.quality }),
    ...(update.messagingLimit === undefined ? {} : { messagingLimit: update.messagingLimit }),
  });
};

/** State of the business account, as the provider words it; ACTIVE when it is well. */
export const updateAccountFromProvider = async (companyId: number, wabaId: string, accountState: string): Promise<void> =>
  updateNumbers(companyId, (number) => number.wabaId === wabaId, { accountState });

async function updateNumbers(companyId: number, isMeant: (number: NumberItem) => boolean, set: Record<string, string>): Promise<void> {
  if (Object.keys(set).length === 0) return;
  const meant = (await listAllNumbers(companyId)).filter(isMeant);
  if (meant.length > 0) await commit(meant.map((number) => updateNumberPart(number, { set: { ...set, updatedAt: now() } }, exists())));
}
