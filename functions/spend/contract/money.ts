import * as z from 'zod';
import { decimalText, type Micros } from '../domain/money.ts';
import { currencyCode } from './card.ts';

export const unknownReason = z.enum(['no_currency', 'no_country', 'no_card', 'no_market', 'no_price', 'category']).meta({
  id: 'UnknownPriceReason',
  description:
    '`no_currency`: cards of several currencies, and that of the account is not known yet. `no_country`: the phone is of none. `no_card`: none of this currency on the day. `no_market`: it does not price the country. `no_price`: nor the category. `category`: no card does.',
});

export const money = z
  .object({
    amount: z.string().meta({ description: 'Decimal text without zeros at its end, to a millionth of the unit.', example: '312.4' }),
    currency: currencyCode.meta({ description: 'ISO 4217 code.' }),
  })
  .meta({ id: 'Money', description: 'An amount. Amounts of two currencies are never added.' });
export type Money = z.output<typeof money>;

/** An amount as the API shows it. */
export const toMoney = (micros: Micros, currency: string): Money => ({ amount: decimalText(micros), currency });
