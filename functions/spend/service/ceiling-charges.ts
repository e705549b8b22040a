import type { Tariff } from '../contract/price-cap.ts';
import type { StoredSpendAccount } from '../contract/spend-account.ts';
import type { RateSource, UnknownReason } from '../domain/card.ts';
import { type FlatPrice, priceOf, type UnknownPrice } from '../domain/price.ts';
import { cappedPrice } from '../domain/price-cap.ts';
import { recipientCountry, userIdCountry } from '../domain/recipient-country.ts';
import { type ChargeKind, chargeKindOf } from '../domain/spend-account.ts';
import { getRecentSources } from './recent-sources.ts';
import { getSpendAccount } from './spend-accounts.ts';

/** What one message takes from the ceilings it is under. */
export interface CeilingCharge {
  /** From the company's, in their currency. */
  company?: { kind: ChargeKind; micros: number; currency: string } | undefined;
  /** From that of its campaign. `limit`: which of those that the campaign has had, from 0. */
  campaign?: { id: number; micros: number; limit: number; currency: string } | undefined;
}

/** Why a message is not sent under a ceiling: it has no known price. */
export interface UnknownCharge {
  unknown: UnknownReason;
}

export interface ChargedRecipient {
  /** Digits. */
  phone?: string | undefined;
  userId?: string | undefined;
}

/** How the messages of a category are charged; undefined: they are under no ceiling. */
export type Charging = (recipient: ChargedRecipient) => CeilingCharge | UnknownCharge | undefined;

/**
 * How messages of a tariff are charged: at their max price, else at the list price of today; each is an upper bound. A company without ceilings, and a
 * campaign without one, are charged nothing. 0.5 RRU a process and ten seconds; 1 to 1.5 RRU for each card, which a process reads every ten minutes.
 */
export const getCharging = async (
  companyId: number,
  tariff: Tariff,
  campaign?: { id: number; limit: number; currency: string },
): Promise<Charging | undefined> => {
  const account = await getSpendAccount(companyId);
  if (!account && !campaign) return undefined;
  const [ofCompany, ofCampaign] = await Promise.all([
    account && getRecentSources(companyId, account.currency),
    campaign && getRecentSources(companyId, campaign.currency),
  ]);
  return (recipient) => {
    const country = pricedCountryOf(recipient);
    const company = account && ofCompany && companyCharge(account, ofCompany, { country, tariff });
    if (company && 'unknown' in company) return company;
    const price = campaign && ofCampaign && upperPrice(ofCampaign, campaign.currency, { country, tariff });
    if (price && 'unknown' in price) return price;
    if (!company && !price) return undefined;
    return { company, campaign: campaign && price && { ...campaign, micros: Number(price.micros) } };
  };
};

/** How one message is charged. */
export const ceilingChargeOf = async (
  companyId: number,
  tariff: Tariff,
  recipient: ChargedRecipient,
): Promise<CeilingCharge | UnknownCharge | undefined> => (await getCharging(companyId, tariff))?.(recipient);

/** Whether any card prices messages in a currency today. */
export const hasCards = async (companyId: number, currency: string): Promise<boolean> =>
  (await getRecentSources(companyId, currency)).length > 0;

/** Whether any message of a tariff has a known price in a currency today: by its max price, else by a card. */
export const hasPrices = async (companyId: number, currency: string, { cap }: Tariff): Promise<boolean> =>
  cap ? !('unknown' in cappedPrice(cap, currency)) : hasCards(companyId, currency);

/** Whether the ceilings of a company stop all messages of a tariff, because nothing prices them. */
export const isStoppedWithoutPrice = async (companyId: number, tariff: Tariff): Promise<boolean> => {
  const account = await getSpendAccount(companyId);
  if (!account || account.unknownPrice === 'allow' || chargeKindOf(account, tariff.category) === 'counted') return false;
  return !(await hasPrices(companyId, account.currency, tariff));
};

interface PricedMessage {
  country: string | undefined;
  tariff: Tariff;
}

/** What a message costs at most. */
export const upperPrice = (
  sources: readonly RateSource[],
  currency: string,
  { country, tariff: { category, cap } }: PricedMessage,
): FlatPrice | UnknownPrice => (cap ? cappedPrice(cap, currency) : priceOf(sources, { country, category }));

function companyCharge(
  account: StoredSpendAccount,
  sources: readonly RateSource[],
  message: PricedMessage,
): CeilingCharge['company'] | UnknownCharge {
  const kind = chargeKindOf(account, message.tariff.category);
  const price = upperPrice(sources, account.currency, message);
  if (!('unknown' in price)) return { kind, micros: Number(price.micros), currency: account.currency };
  return kind === 'counted' || account.unknownPrice === 'allow' ? undefined : price;
}

/** The country by which a message to a recipient is priced. */
export const pricedCountryOf = ({ phone, userId }: ChargedRecipient): string | undefined =>
  phone === undefined || phone === '' ? userId && userIdCountry(userId) : recipientCountry(phone);
