import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { utcDayOf } from '../../usage/contract/count.ts';
import { type CardInput, cardInput } from '../contract/card.ts';
import type { RateCardRecord } from '../contract/rates.ts';
import { operatorOwner } from '../contract/stored.ts';
import { importDoubts, type RateFinding, rateFindings } from '../domain/import-checks.ts';
import { inputProblem, toRateCardRecord } from '../domain/rate-card.ts';
import { getRateCardInForce, listAllRateCards, reopenForRateCard } from '../store/rate-card.ts';
import { addRateCard } from './rate-cards.ts';

export interface ImportedRates {
  stored: boolean;
  card: RateCardRecord;
  /** Why the card may be wrong, where that was accepted. */
  doubts: string[];
}

/** Imports a card of the operator, whose prices hold for every company. Refuses one that looks wrong against the card before it, unless `force`. */
export const importRates = async (input: CardInput, { force = false } = {}): Promise<ImportedRates | Problem<'validation_failed'>> => {
  const read = cardInput.safeParse(input);
  if (!read.success) return invalid('markets', ...read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  const { currency, effective_from: day, markets } = read.data;
  const wrong = inputProblem(read.data);
  if (wrong) return invalid(wrong.field, wrong.reason);
  if (!markets) return invalid('adjustment', "The operator's card has prices of its own; an adjustment is a company's.");
  const before = await getRateCardInForce(operatorOwner, currency, day);
  const doubts = importDoubts(before?.markets ?? [], markets);
  if (doubts.length > 0 && !force) return invalid('markets', ...doubts);
  const { card, isNew } = await addRateCard(operatorOwner, read.data);
  return { stored: isNew, card: toRateCardRecord(card, today(), false), doubts };
};

/** All cards of the operator, by currency and first day. */
export const listOperatorRates = async (): Promise<RateCardRecord[]> =>
  (await listAllRateCards(operatorOwner)).map((card) => ({ ...toRateCardRecord(card, today(), false), imported_by: card.importedBy }));

/**
 * Lets a card price months too that were closed before it was imported: of the operator, or of a company. Repeating it changes nothing. `id`: as
 * `listRates` has it.
 */
export const reopenForRates = async (id: string, companyId = operatorOwner): Promise<RateCardRecord | Problem<'not_found'>> => {
  const [, effectiveFrom = '', currency = '', rev = ''] = /^(\d{4}-\d{2}-\d{2})-([A-Z]{3})-(\d{1,6})$/.exec(id) ?? [];
  const card = await reopenForRateCard({ companyId, currency, effectiveFrom, rev: Number(rev) });
  return card ? toRateCardRecord(card, today(), false) : problem('not_found');
};

/** Whether the operator's cards are in force and young enough. */
export const checkRates = async (): Promise<RateFinding[]> => rateFindings(await listAllRateCards(operatorOwner), today());

/** The operator has no time zone: the UTC day. */
const today = (): string => utcDayOf(now());
