import { currentActor } from '../../../shared/runtime/actor.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { CardInput } from '../contract/card.ts';
import { operatorOwner, type StoredRateCard } from '../contract/stored.ts';
import type { RateSource } from '../domain/card.ts';
import { baseCurrencyOf, rateSources } from '../domain/rate-card.ts';
import { createRateCard, getRateCardInForce } from '../store/rate-card.ts';

export interface CardsOfDay {
  own: StoredRateCard | undefined;
  base: StoredRateCard | undefined;
  operator: StoredRateCard | undefined;
}

/** The cards that price a company's messages in a currency on a day. 0.5 RRU per 4 KB of each. `own`: in place of the company's stored card. */
export const getCardsOfDay = async (companyId: number, currency: string, day: string, own?: StoredRateCard): Promise<CardsOfDay> => {
  const [stored, operator] = await Promise.all([
    own ?? getRateCardInForce(companyId, currency, day),
    getRateCardInForce(operatorOwner, currency, day),
  ]);
  const baseCurrency = stored && baseCurrencyOf(stored);
  const base =
    baseCurrency === undefined || baseCurrency === currency ? operator : await getRateCardInForce(operatorOwner, baseCurrency, day);
  return { own: stored, base, operator };
};

/** Where the prices of a company's messages come from on a day. */
export const listRateSources = async (companyId: number, currency: string, day: string): Promise<RateSource[]> =>
  rateSources(await getCardsOfDay(companyId, currency, day));

/** The card as it would be stored next: the latest of its day, if that has the same prices, else its next revision. */
export const draftRateCard = async (companyId: number, input: CardInput): Promise<{ card: StoredRateCard; isStored: boolean }> => {
  const { currency, effective_from: effectiveFrom, source, markets, adjustment } = input;
  const hash = sha256(canonical({ markets, adjustment }));
  const inForce = await getRateCardInForce(companyId, currency, effectiveFrom);
  const latest = inForce?.effectiveFrom === effectiveFrom ? inForce : undefined;
  if (latest?.sha256 === hash) return { card: latest, isStored: true };
  const rev = (latest?.rev ?? 0) + 1;
  const { userId, operator } = currentActor();
  const card = {
    companyId,
    id: `${effectiveFrom}-${currency}-${rev}`,
    currency,
    effectiveFrom,
    rev,
    sha256: hash,
    importedBy: operator === undefined ? (userId === undefined ? 'system' : `user:${userId}`) : `operator:${operator}`,
    importedAt: now(),
    ...defined({ source, markets, adjustment }),
  };
  return { card, isStored: false };
};

/** Stores a card, unless the latest of its day has the same prices: a repetition adds no revision. */
export const addRateCard = (companyId: number, input: CardInput): Promise<{ card: StoredRateCard; isNew: boolean }> =>
  retryOnConflict(8, async () => {
    const { card, isStored } = await draftRateCard(companyId, input);
    if (isStored) return { card, isNew: false };
    return (await createRateCard(card)) ? { card, isNew: true } : conflict;
  });
