import { type TakenByCeilings, takenText } from '../contract/taken.ts';

/** Rules of what a business number may spend: it lies in the item of its send slots, so that one write takes both. Micro-units. */

/** What the messages of one reservation cost together. */
export interface SlotSpend {
  /** From the allowance of the number; `counted` is never refused, and may take it below 0. */
  company?: { period: string; kind: SpendKind; micros: number; currency: string } | undefined;
  /** From the ceiling of their campaign. `limit`: which of those that the campaign has had. */
  campaign?: { id: number; micros: number; limit: number; currency: string } | undefined;
}
export type SpendKind = 'code' | 'other' | 'counted';

/** What the row of a message has of it; undefined: nothing was taken. */
export const takenBy = ({ company, campaign }: SlotSpend): string | undefined => {
  const taken: TakenByCeilings = {};
  if (company && company.micros > 0 && company.period !== '') {
    const { period: of, micros, currency, kind } = company;
    taken.company = { of, micros, currency, ...(kind === 'code' ? { isCode: true as const } : {}) };
  }
  if (campaign && campaign.micros > 0) {
    const { limit, micros, currency } = campaign;
    taken.campaign = { limit, micros, currency };
  }
  return taken.company || taken.campaign ? takenText(taken) : undefined;
};

/** What a number may spend, as it was read. */
export interface AllowanceState {
  /** What the allowances are of; undefined: it never had one. */
  period: string | undefined;
  allowance: number;
  codeAllowance: number;
  /** What is left of the ceiling of a campaign; undefined: the number has none of it. */
  budgetOf: (campaignId: number) => number | undefined;
}

/** The attribute that a kind of message spends from. */
export const allowanceField = (kind: SpendKind): 'allowance' | 'codeAllowance' => (kind === 'code' ? 'codeAllowance' : 'allowance');

export const budgetField = (campaignId: number): `c:${number}` => `c:${campaignId}`;

/** How many of the next messages, in their order, an amount pays for. */
export const prefixThatFits = (prices: readonly number[], micros: number): number => {
  let left = micros;
  for (const [nth, price] of prices.entries()) {
    left -= price;
    if (left < 0) return nth;
  }
  return prices.length;
};

export const totalOf = (prices: readonly number[]): number => prices.reduce((sum, price) => sum + price, 0);

/** Why a number cannot spend: what is short is named in the order in which it is provided. Undefined: it can. */
export const shortOf = (state: AllowanceState, { company, campaign }: SlotSpend): 'campaign' | 'period' | 'allowance' | undefined => {
  if (campaign && (state.budgetOf(campaign.id) ?? -1) < campaign.micros) return 'campaign';
  if (!company) return undefined;
  if (state.period !== company.period) return 'period';
  return company.kind !== 'counted' && state[allowanceField(company.kind)] < company.micros ? 'allowance' : undefined;
};
