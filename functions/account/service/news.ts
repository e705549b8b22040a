import { now } from '../../../shared/runtime/clock.ts';
import { exists } from '../../../shared/table/condition.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { changingNumber, findNumbers, type NumberItem } from '../store/number.ts';

/** What the provider says of a company's numbers by itself. Numbers that are not the company's are passed over. */
export const hearNumber = async (
  companyId: number,
  displayPhone: string,
  news: { quality?: string | undefined; messagingLimit?: string | undefined },
): Promise<void> => {
  const digits = displayPhone.replaceAll(/\D/g, '');
  await tell(companyId, (number) => number.phone === digits, {
    ...(news.quality === undefined ? {} : { quality: news.quality }),
    ...(news.messagingLimit === undefined ? {} : { messagingLimit: news.messagingLimit }),
  });
};

/** State of the business account, as the provider words it; ACTIVE when it is well. */
export const hearAccount = async (companyId: number, wabaId: string, accountState: string): Promise<void> =>
  tell(companyId, (number) => number.wabaId === wabaId, { accountState });

async function tell(companyId: number, isMeant: (number: NumberItem) => boolean, set: Record<string, string>): Promise<void> {
  if (Object.keys(set).length === 0) return;
  const meant = (await findNumbers(companyId)).filter(isMeant);
  if (meant.length > 0) await commit(meant.map((number) => changingNumber(number, { set: { ...set, updatedAt: now() } }, exists())));
}
