import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { getCompanyAppItem, nameCompanyAppPart } from '../store/company-app.ts';
import { nameAppOfNumberPart, type NumberId } from '../store/number.ts';
import { getProviderApp } from '../store/provider-app.ts';

/** What a number comes to name: an app of its company, which then may not be deleted, or one that the deployment shares. */
export interface NamedApp {
  /** Has the app know; none where it is shared. */
  parts: TransactionPart[];
}

/** Undefined: a number of the company may not name it, because it is another company's or none. 0.5 RRU, or 1. */
export const findNamedApp = async (companyId: number, id: string): Promise<NamedApp | undefined> => {
  const own = await getCompanyAppItem({ companyId, id });
  if (own?.status === 'active') return { parts: [nameCompanyAppPart(own)] };
  return (await getProviderApp(id)) ? { parts: [] } : undefined;
};

/** Has a number name the app under which it was connected. */
export const nameAppParts = async (number: NumberId, appId: string): Promise<TransactionPart[]> => [
  nameAppOfNumberPart(number, appId),
  ...((await findNamedApp(number.companyId, appId))?.parts ?? []),
];
