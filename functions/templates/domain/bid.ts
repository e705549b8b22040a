import type { Money } from '../../spend/contract/money.ts';
import type { StoredTemplate } from '../contract/stored.ts';

/**
 * The max price of a marketing template: the most that the provider charges for a delivered message. The provider has it as a bid for 1,000 deliveries, in
 * the smallest unit of the currency of the business account. https://developers.facebook.com/documentation/business-messaging/whatsapp/marketing-messages/pricing
 */
export type TemplateBid = NonNullable<StoredTemplate['bid']>;

/**
 * Digits of the smallest unit. A currency is left out where the provider's own lists and ISO 4217 differ (IDR, COP, HUF, TWD, CRC): there a price could
 * be a hundred times the one that was meant.
 */
const minorDigits = (currency: string): 0 | 2 | undefined => {
  if (hundredths.has(currency)) return 2;
  return undivided.has(currency) ? 0 : undefined;
};
const undivided: ReadonlySet<string> = new Set(['CLP', 'JPY', 'KRW', 'PYG']);
const hundredths: ReadonlySet<string> = new Set(
  'AED ARS AUD BRL CAD CHF DKK EGP EUR GBP HKD ILS INR KES MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON SAR SEK SGD THB TRY USD UYU ZAR'.split(
    ' ',
  ),
);
/** In which a max price can be. */
export const bidCurrencies: readonly string[] = [...undivided, ...hundredths].toSorted();

/** A bid is for this many deliveries. */
const thousand = 3;
/** What an integer of the provider holds. */
const maxBid = 2_147_483_647n;

/** A price as it is written. */
export const decimalAmount = /^\d{1,9}(\.\d{1,6})?$/;
export const decimalReason = 'Must be a decimal text, such as 0.05.';

/** The bid of a price, digit by digit; or the field that cannot be expressed so, and why. */
export const toBid = ({ amount, currency }: Money): TemplateBid | { field: 'amount' | 'currency'; reason: string } => {
  const digits = minorDigits(currency);
  if (digits === undefined) return { field: 'currency', reason: `The max price of a template cannot be in ${currency}.` };
  if (!decimalAmount.test(amount)) return { field: 'amount', reason: decimalReason };
  const [whole = '', fraction = ''] = amount.split('.');
  const places = thousand + digits;
  if (fraction.replace(/0+$/, '').length > places)
    return { field: 'amount', reason: `The max price of a template has at most ${places} decimals in ${currency}.` };
  const bid = BigInt(`${whole}${fraction.slice(0, places).padEnd(places, '0')}`);
  if (bid <= 0n || bid > maxBid)
    return { field: 'amount', reason: 'The max price of a template is above 0, and at most what the provider takes.' };
  return { amount: Number(bid), currency };
};

/** Digits of a micro-unit. */
const microDigits = 6;

/** The price of one message in micro-units; undefined: the currency is not known, or its smallest unit is not certain. */
export const microsOfBid = ({ amount, currency }: TemplateBid): number | undefined => {
  const digits = currency === undefined ? undefined : minorDigits(currency);
  return digits === undefined ? undefined : amount * 10 ** (microDigits - thousand - digits);
};
