import * as z from 'zod';
import { adjustment, cardMarket } from './card.ts';

export const rateCardEntityName = 'rate-card';

/** A card as the table holds it. Its prices are written once and never changed: a correction is a card of the same day with a later revision. */
export const storedRateCard = z.object({
  /** 0: the operator's. */
  companyId: z.int(),
  /** `2026-10-01-EUR-1`, unique among the cards of its owner. */
  id: z.string(),
  currency: z.string(),
  effectiveFrom: z.string(),
  rev: z.int(),
  source: z.string().optional(),
  /** Of the markets and the adjustment in canonical form. */
  sha256: z.string(),
  /** `operator:kim`, or `user:12`. */
  importedBy: z.string(),
  importedAt: z.int(),
  /** It prices months too that were closed before it was imported. */
  reopens: z.literal(true).optional(),
  markets: z.array(cardMarket).optional(),
  adjustment: adjustment.optional(),
});
export type StoredRateCard = z.output<typeof storedRateCard>;

/** The owner of the cards that hold for every company. */
export const operatorOwner = 0;
