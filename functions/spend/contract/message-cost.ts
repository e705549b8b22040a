import * as z from 'zod';
import { priceCategories } from './card.ts';
import { money, unknownReason } from './money.ts';

/** What one message costs, as the answer of its send shows it. */
export const messageCost = z
  .object({
    estimate: money.nullable().meta({
      description:
        'At the list price of today, if it is delivered; a service message may be free: 0. With a max price that price, which the provider may stay below. null: no price is known.',
    }),
    at_most: money.nullable().meta({ description: 'The same, if it is not free. null: no price is known.' }),
    category: z.enum(priceCategories).nullable().meta({ description: 'The category of the message; null: no card prices it.' }),
    country: z.string().nullable().meta({ description: 'The country of the recipient; null: of no known country.' }),
    reason: unknownReason.nullable().meta({ description: 'Why the price is unknown; null otherwise.' }),
    card: z
      .string()
      .nullable()
      .meta({ description: 'The id of the rate card that priced it; null while the price is unknown, and with a max price.' }),
  })
  .meta({ id: 'MessageCost', description: 'What a message costs. What the provider charges follows by its statuses.' });
export type MessageCost = z.output<typeof messageCost>;
