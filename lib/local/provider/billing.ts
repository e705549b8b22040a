/**
 * What the provider charges: how a message is priced when it is accepted, and the bill of what was delivered. It knows nothing of the product:
 * countries, tiers and sums are computed here by themselves, message by message, so that the product's figures can be compared with them.
 */
import parsePhoneNumber from 'libphonenumber-js/max';
import * as z from 'zod';
import { simulatorCards } from '../rate-cards.ts';
import type { Ledger } from './ledger.ts';
import type { BusinessNumber } from './registry.ts';

const marketPrice = z.union([z.string(), z.array(z.object({ from: z.int(), price: z.string() })), z.null()]);
const market = z.object({
  market: z.string(),
  countries: z.array(z.string()),
  marketing: marketPrice,
  utility: marketPrice,
  authentication: marketPrice,
  authentication_international: marketPrice,
  service: marketPrice,
});

export const billingSettings = z.strictObject({
  /** Service messages of a number in a month that cost nothing. */
  free_service: z.int().nonnegative().default(1_000),
  /** How statuses name them: the provider does not document it. */
  free_type: z.string().default('free_customer_service'),
  /** In which the account is charged. */
  currency: z.string().default('USD'),
  /** In place of the simulator's own card. */
  markets: z.array(market).optional(),
  /** By how many percent the costs of `pricing_analytics` are above the bill: the provider names them approximate. */
  analytics_shift: z.number().min(-50).max(50).default(0),
  /** The account is on the credit line of a partner: `pricing_analytics` has no costs. */
  is_on_credit_line: z.boolean().default(false),
  /** Before it is signed, the provider estimates no reach. */
  is_agreement_signed: z.boolean().default(true),
});
export type BillingSettings = z.output<typeof billingSettings>;

/** From this day free-form messages are charged too. */
const serviceChargedFrom = Date.UTC(2026, 9, 1);
/** A conversation that an advertisement began is free for three days. */
const entryPointMs = 72 * 3_600_000;

export interface BillLine {
  country: string | null;
  category: string;
  messages: number;
  charged: number;
  amount: string;
  /** Charged messages that the card has no price for. */
  unpriced: number;
}
export interface Bill {
  currency: string;
  amount: string;
  messages: number;
  charged: number;
  unpriced: number;
  lines: BillLine[];
}

/** `micros`: undefined of what is free and of what the card has no price for. */
export interface PricedMessage {
  phoneNumberId: string;
  country: string | undefined;
  category: string;
  at: number;
  pricingType: string;
  micros: bigint | undefined;
}

const minorDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** A bid times a multiplier as the price of one message, in micro-units. */
const microsOf = (bid: number, multiplier: number, currency: string): number =>
  Number((BigInt(bid) * BigInt(Math.round(multiplier * 1_000_000))) / (1_000n * 10n ** BigInt(minorDigits(currency))));

const bidOf = (price: string | undefined, currency: string): number | undefined =>
  price === undefined ? undefined : Number((microUnits(price) * 10n ** BigInt(minorDigits(currency))) / 1_000n);

export function createBilling(ledger: Ledger) {
  let settings: BillingSettings = billingSettings.parse({});

  const marketOf = (country: string) => {
    const markets = settings.markets ?? simulatorCards(Date.now()).find(({ currency }) => currency === settings.currency)?.markets ?? [];
    return markets.find(({ countries }) => countries.includes(country)) ?? markets.find(({ countries }) => countries.length === 0);
  };

  /** Delivered messages with what each costs, oldest first: the order decides which a tier counts first. */
  function priced(phoneNumberIds: readonly string[]): PricedMessage[] {
    const volumes = new Map<string, number>();
    return ledger.delivered(phoneNumberIds).map(({ to, category, at, pricingType, phoneNumberId, cost }) => {
      const country = countryOf(to);
      const message = { phoneNumberId, country, category, at, pricingType };
      if (cost) return { ...message, micros: BigInt(cost.micros) };
      if (pricingType !== 'regular' || country === undefined) return { ...message, micros: undefined };
      const found = marketOf(country);
      const price = found?.[category as 'marketing'] ?? null;
      if (!found || price === null) return { ...message, micros: undefined };
      const tier = `${found.market}|${category}|${monthOf(at)}`;
      const nth = (volumes.get(tier) ?? 0) + 1;
      volumes.set(tier, nth);
      const text = typeof price === 'string' ? price : (price.filter(({ from }) => from <= nth).at(-1)?.price ?? '0');
      return { ...message, micros: microUnits(text) };
    });
  }

  /** Of a marketing message. */
  const listPrice = (country: string | undefined): string | undefined => {
    const price = (country === undefined ? undefined : marketOf(country)?.marketing) ?? null;
    return typeof price === 'string' ? price : price?.[0]?.price;
  };

  return {
    settings: (): BillingSettings => settings,
    set: (given: BillingSettings): void => void (settings = given),
    /** How a message is charged that is accepted now. `user`: digits, or a business-scoped user id. */
    pricingTypeOf({ phone_number_id: id }: BusinessNumber, user: string, { category, at }: { category: string; at: number }): string {
      if (ledger.entryAt(id, user) > at - entryPointMs) return 'free_entry_point';
      if (category !== 'service') return 'regular';
      if (at < serviceChargedFrom) return 'free_customer_service';
      return ledger.serviceCount(id, monthOf(at), at) < settings.free_service ? settings.free_type : 'regular';
    },
    /** What the provider decides to charge under a max price, for 1,000 deliveries in the smallest unit: the list price where that is lower. */
    decideCost(user: string, bid: number, multiplier: number): { micros: number; currency: string } {
      const most = microsOf(bid, multiplier, settings.currency);
      const listed = listPrice(countryOf(user));
      return { micros: listed === undefined ? most : Math.min(most, Number(microUnits(listed))), currency: settings.currency };
    },
    /** The list price of a marketing message to a country as a bid: for 1,000 deliveries in the smallest unit; undefined: it has none. */
    listedBid: (country: string): number | undefined => bidOf(listPrice(country), settings.currency),
    priced,
    /** The tiers of the present month beyond the first, as `account_update` posts them. */
    tiersReached: (phoneNumberIds: readonly string[]) => tiersReached(priced(phoneNumberIds), marketOf),
    /** What the messages of these numbers cost that were delivered, oldest first. */
    bill: (phoneNumberIds: readonly string[]): Bill => billOf(priced(phoneNumberIds), settings.currency),
  };
}
export type Billing = ReturnType<typeof createBilling>;

/** What messages cost together, by country and category. */
function billOf(messages: readonly PricedMessage[], currency: string): Bill {
  const lines = new Map<string, Omit<BillLine, 'amount'> & { micros: bigint }>();
  for (const { country, category, pricingType, micros } of messages) {
    const key = `${country}|${category}`;
    const line = lines.get(key) ?? { country: country ?? null, category, messages: 0, charged: 0, unpriced: 0, micros: 0n };
    lines.set(key, line);
    line.messages += 1;
    if (pricingType !== 'regular') continue;
    if (micros === undefined) line.unpriced += 1;
    else {
      line.charged += 1;
      line.micros += micros;
    }
  }
  const all = [...lines.values()];
  const sum = (field: 'messages' | 'charged' | 'unpriced'): number => all.reduce((total, line) => total + line[field], 0);
  return {
    currency,
    amount: amountText(all.reduce((total, { micros }) => total + micros, 0n)),
    messages: sum('messages'),
    charged: sum('charged'),
    unpriced: sum('unpriced'),
    lines: all.map(({ micros, ...line }) => ({ ...line, amount: amountText(micros) })),
  };
}

/** The highest tier of each market and category that messages of the present month have crossed into, oldest first. */
function tiersReached(messages: readonly PricedMessage[], marketOf: (country: string) => z.output<typeof market> | undefined) {
  const month = monthOf(Date.now());
  const volumes = new Map<string, number>();
  const reached = new Map<string, object>();
  for (const { country, category, at, pricingType } of messages) {
    const found = country === undefined || pricingType !== 'regular' || monthOf(at) !== month ? undefined : marketOf(country);
    const price = found?.[category as 'marketing'];
    if (!found || !Array.isArray(price)) continue;
    const key = `${found.market}|${category}`;
    const nth = (volumes.get(key) ?? 0) + 1;
    volumes.set(key, nth);
    const place = price.findIndex(({ from }) => from === nth);
    if (place <= 0) continue;
    const next = price[place + 1];
    const tier = `${nth}:${next ? next.from - 1 : 'MAX'}`;
    const times = { effective_month: month, tier_update_time: Math.floor(at / 1_000) };
    reached.set(key, { pricing_category: category.toUpperCase(), region: found.market, tier, ...times });
  }
  return [...reached.values()];
}

const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

function countryOf(user: string): string | undefined {
  const scoped = /^([A-Z]{2})\./.exec(user)?.[1];
  return scoped ?? parsePhoneNumber(`+${user.replace(/\D/g, '')}`)?.country;
}

/** Digit by digit: a decimal number of JavaScript does not hold every price. */
function microUnits(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(6, '0').slice(0, 6)}`);
}

function amountText(micros: bigint): string {
  const digits = micros.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
}
