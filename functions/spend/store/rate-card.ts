import { exists, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { pricesDay } from '../domain/closed-month.ts';
import { operatorOwner, rateCardEntityName, storedRateCard, type StoredRateCard } from '../contract/stored.ts';

/** The operator's cards are not under a tenant: every company is priced by them. */
const partition = (companyId: number): string => (companyId === operatorOwner ? 'RATES' : `${tenant(companyId)}#RATES`);

interface RateCardId {
  companyId: number;
  currency: string;
  effectiveFrom: string;
  rev: number;
}

export const rateCardEntity = entity({
  name: rateCardEntityName,
  audited: true,
  purpose: 'Prices of messages in one currency from a day on: of the operator for all companies, or of one company',
  attributes: storedRateCard,
  key: ({ companyId, currency, effectiveFrom, rev }: RateCardId) => ({
    pk: partition(companyId),
    sk: `${currency}#${effectiveFrom}#${String(rev).padStart(6, '0')}`,
  }),
  idOf: ({ companyId, currency, effectiveFrom, rev }) => ({ companyId, currency, effectiveFrom, rev }),
  example: { pk: 'RATES, or C#<company>#RATES', sk: '<currency>#<first day>#<revision>' },
});

export const getRateCardInForce = pattern(
  {
    question: 'the card of a currency on a day',
    entity: rateCardEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB (a card has 6 to 10 KB)',
  },
  async (companyId: number, currency: string, day: string): Promise<StoredRateCard | undefined> => {
    const between = [`${currency}#`, `${currency}#${day}#~`] as const;
    const [card] = await rateCardEntity.collect({ pk: partition(companyId), between, descending: true }, { atMost: 1 });
    return card;
  },
);

/** From a day back to the first card that prices it: those that were imported too late for it may price later days. In the order of their first day. */
export const listRateCardsBackFrom = pattern(
  {
    question: 'the card of a currency that prices a day, and the later ones that do not',
    entity: rateCardEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB (a card has 6 to 10 KB)',
  },
  async (companyId: number, currency: string, day: string): Promise<StoredRateCard[]> => {
    const cards: StoredRateCard[] = [];
    const between = [`${currency}#`, `${currency}#${day}#~`] as const;
    for await (const card of rateCardEntity.items({ pk: partition(companyId), between, descending: true, limit: 1 })) {
      cards.unshift(card);
      if (pricesDay(card, day)) break;
    }
    return cards;
  },
);

export const reopenForRateCard = pattern(
  { question: 'a card prices closed months too', entity: rateCardEntityName, by: 'UpdateItem', units: '1 WRU per KB (6 to 10)' },
  async (card: RateCardId): Promise<StoredRateCard | undefined> => {
    const written = await rateCardEntity.change(card, { set: { reopens: true } }, exists());
    return written.done ? written.item : undefined;
  },
);

export const listRateCardsAfter = pattern(
  { question: 'the cards of a currency that begin after a day', entity: rateCardEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number, currency: string, day: string): Promise<StoredRateCard[]> =>
    rateCardEntity.collect({ pk: partition(companyId), between: [`${currency}#${day}#~`, `${currency}#~`] }),
);

export const getNextRateCard = pattern(
  { question: 'the first card of the next currency that has any', entity: rateCardEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  async (companyId: number, afterCurrency: string): Promise<StoredRateCard | undefined> => {
    const between = [`${afterCurrency}#~`, '~'] as const;
    const [card] = await rateCardEntity.collect({ pk: partition(companyId), between }, { atMost: 1 });
    return card;
  },
);

export const listAllRateCards = pattern(
  { question: 'all cards of an owner, for the operator', entity: rateCardEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number): Promise<StoredRateCard[]> => rateCardEntity.collect({ pk: partition(companyId) }),
);

export const createRateCard = pattern(
  { question: 'a new card, if its revision is free', entity: rateCardEntityName, by: 'PutItem', units: '1 WRU per KB (6 to 10)' },
  async (card: StoredRateCard): Promise<boolean> => (await rateCardEntity.put(card, missing())).done,
);
