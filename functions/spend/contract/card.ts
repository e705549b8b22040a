import * as z from 'zod';
import { day } from '../../../shared/contract/day.ts';
import { text } from '../../../shared/contract/fields.ts';
import { decimalForm } from '../domain/money.ts';

/** The categories that the provider's rate cards price. */
export const priceCategories = ['marketing', 'utility', 'authentication', 'authentication_international', 'service'] as const;
export type PriceCategory = (typeof priceCategories)[number];

/** The provider has some 50 markets, and some 250 countries have numbers. */
export const maxMarkets = 300;
export const maxTiers = 12;
/** Of the markets of a card as JSON: an item of the table has 400 KB. */
export const maxCardChars = 60_000;

const decimal = z
  .string({ error: 'Must be a decimal text, such as "0.1131".' })
  .regex(decimalForm, { error: 'Must be a decimal text such as "0.1131", with at most six decimals.' })
  .meta({ example: '0.1131' });
const tiers = z
  .array(
    z.object({
      from: z
        .int({ error: 'Must be a whole number.' })
        .min(0)
        .max(1_000_000_000_000)
        .meta({ description: 'The first charged message of the month, in the market, that has this price; 0 for the first tier.' }),
      price: decimal.meta({ description: 'The price of one message.' }),
    }),
  )
  .min(1)
  .max(maxTiers);
const price = z.union([decimal, tiers, z.null()], { error: 'Must be a decimal text, a list of tiers, or null.' }).meta({
  id: 'RatePrice',
  description: 'Decimal text; a list of tiers, each for its own messages; or null: none is published.',
});
export type CardPrice = z.output<typeof price>;

export const currencyCode = z
  .string({ error: 'Must be a currency code, such as EUR.' })
  .regex(/^[A-Z]{3}$/, { error: 'Must be an ISO 4217 code in capitals, such as EUR.' })
  .meta({ example: 'EUR' });
export const countryCode = z
  .string({ error: 'Must be a country code, such as DE.' })
  .regex(/^[A-Z]{2}$/, { error: 'Must be an ISO 3166-1 alpha-2 code in capitals, such as DE.' })
  .meta({ example: 'DE' });

export const cardMarket = z
  .object({
    market: z
      .string({ error: 'Must be a text.' })
      .regex(/^\P{Cc}{1,60}$/u, { error: 'Must be a name of 1 to 60 characters.' })
      .meta({ description: 'The name of the market, as the provider prints it.' }),
    countries: z.array(countryCode).max(maxMarkets).meta({
      description: 'The countries of the recipients; an empty list: those of no other market.',
    }),
    marketing: price,
    utility: price,
    authentication: price,
    authentication_international: price,
    service: price,
  })
  .meta({ id: 'RateMarket', description: 'The prices of one market: one for each category of messages.' });
export type CardMarket = z.output<typeof cardMarket>;

const percent = z
  .string({ error: 'Must be a decimal text, such as "5".' })
  .regex(/^(-\d{1,2}|\d{1,4})(\.\d{1,4})?$/, { error: 'Must be a decimal text from "-99.9999" to "9999.9999", such as "5".' });
const fixedPart = (category: PriceCategory) => decimal.optional().meta({ description: `For ${category}.` });
export const adjustment = z
  .object({
    from_currency: currencyCode.optional().meta({ description: "The currency of the operator's card; by default that of the adjustment." }),
    factor: decimal.optional().meta({ description: 'Units of the currency for one unit of `from_currency`; needed where they differ.' }),
    percent: percent.optional().meta({ description: 'What is added, in percent; negative for a discount.' }),
    fixed: z
      .object({
        marketing: fixedPart('marketing'),
        utility: fixedPart('utility'),
        authentication: fixedPart('authentication'),
        authentication_international: fixedPart('authentication_international'),
        service: fixedPart('service'),
      })
      .optional()
      .meta({ description: 'What is added to the price of each message, by category, after factor and percent.' }),
  })
  .meta({
    id: 'RateAdjustment',
    description: "The company's prices as a change of the operator's card of the day.",
  });
export type Adjustment = z.output<typeof adjustment>;

/** A card as it is imported: the same file for the command line and for the API. */
export const cardInput = z.object({
  currency: currencyCode.meta({ description: 'The currency of the prices, that of the business account.' }),
  effective_from: day.meta({ description: 'The first day, in the time zone of the business account, on which the prices hold.' }),
  source: text(500).optional().meta({ description: 'Where they are from: the address of a page, or the number of a contract.' }),
  markets: z.array(cardMarket).min(1).max(maxMarkets).optional().meta({ description: 'A card of its own. Either this or `adjustment`.' }),
  adjustment: adjustment.optional().meta({ description: "A change of the operator's card. Either this or `markets`." }),
});
export type CardInput = z.output<typeof cardInput>;
