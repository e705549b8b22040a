import type { StoredSpendAccount } from '../contract/spend-account.ts';
import type { RateSource, UnknownReason } from '../domain/card.ts';
import { isKnown, priceOf } from '../domain/price.ts';
import { recipientCountry, userIdCountry } from '../domain/recipient-country.ts';
import { type ChargeKind, chargeKindOf } from '../domain/spend-account.ts';
import { getRecentSources } from './recent-sources.ts';
import { getSpendAccount } from './spend-accounts.ts';

/** What one message takes from the ceilings it is under. */
export interface CeilingCharge {
  /** From the company's, in their currency. */
  company?: { kind: ChargeKind; micros: number } | undefined;
  /** From that of its campaign. */
  campaign?: { id: number; micros: number } | undefined;
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
 * How messages of a category are charged: at the list price of today, which is the upper bound. A company without ceilings, and a campaign without
 * one, are charged nothing. 0.5 RRU a process and ten seconds; 1 to 1.5 RRU for each card, which a process reads every ten minutes.
 */
export const getCharging = async (
  companyId: number,
  category: string,
  campaign?: { id: number; currency: string },
): Promise<Charging | undefined> => {
  const account = await getSpendAccount(companyId);
  if (!account && !campaign) return undefined;
  const [ofCompany, ofCampaign] = await Promise.all([
    account && getRecentSources(companyId, account.currency),
    campaign && getRecentSources(companyId, campaign.currency),
  ]);
  return (recipient) => {
    const country = pricedCountryOf(recipient);
    const company = account && ofCompany && companyCharge(account, ofCompany, { country, category });
    if (company && 'unknown' in company) return company;
    const price = ofCampaign && priceOf(ofCampaign, { country, category });
    if (price && !isKnown(price)) return price;
    if (!company && !price) return undefined;
    return { company, campaign: campaign && price && { id: campaign.id, micros: Number(price.micros) } };
  };
};

/** How one message is charged. */
export const ceilingChargeOf = async (
  companyId: number,
  category: string,
  recipient: ChargedRecipient,
): Promise<CeilingCharge | UnknownCharge | undefined> => (await getCharging(companyId, category))?.(recipient);

/** Whether any card prices messages in a currency today. */
export const hasCards = async (companyId: number, currency: string): Promise<boolean> =>
  (await getRecentSources(companyId, currency)).length > 0;

/** Whether the ceilings of a company stop all messages of a category, because no card prices them. */
export const isStoppedWithoutPrice = async (companyId: number, category: string): Promise<boolean> => {
  const account = await getSpendAccount(companyId);
  if (!account || account.unknownPrice === 'allow' || chargeKindOf(account, category) === 'counted') return false;
  return !(await hasCards(companyId, account.currency));
};

function companyCharge(
  account: StoredSpendAccount,
  sources: readonly RateSource[],
  { country, category }: { country: string | undefined; category: string },
): { kind: ChargeKind; micros: number } | UnknownCharge | undefined {
  const kind = chargeKindOf(account, category);
  const price = priceOf(sources, { country, category });
  if (isKnown(price)) return { kind, micros: Number(price.micros) };
  return kind === 'counted' || account.unknownPrice === 'allow' ? undefined : price;
}

/** The country by which a message to a recipient is priced. */
export const pricedCountryOf = ({ phone, userId }: ChargedRecipient): string | undefined =>
  phone === undefined || phone === '' ? userId && userIdCountry(userId) : recipientCountry(phone);
