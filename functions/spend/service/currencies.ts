import { operatorOwner } from '../contract/stored.ts';
import { getNextRateCard } from '../store/rate-card.ts';

/** The currencies that a company's messages may be priced in: of its own cards, where it has any, else of the operator's. One read each of both, 1 RRU or more. */
export const listRateCurrencies = async (companyId: number): Promise<string[]> => {
  // side by side: a send waits for them, once in a process
  const [own, ofOperator] = await Promise.all([companyId, operatorOwner].map((owner) => listCurrenciesOf(owner)));
  return (own && own.length > 0 ? own : ofOperator) ?? [];
};

/** The currencies that an owner has cards of. */
export const listCurrenciesOf = async (owner: number, after = ''): Promise<string[]> => {
  const card = await getNextRateCard(owner, after);
  return card ? [card.currency, ...(await listCurrenciesOf(owner, card.currency))] : [];
};
