import * as z from 'zod';
import { priceCategories } from './card.ts';
import { money, unknownReason } from './money.ts';

/** What a send to several recipients costs, as previews show it. */
export const sendCost = z
  .object({
    estimate: money.nullable().meta({
      description:
        'If each recipient with a known price gets it, at list prices; service messages may be free. With a max price the same as `at_most`. null: no price is known.',
    }),
    at_most: money.nullable().meta({ description: 'The same, with none free; with a max price at that price. null: no price is known.' }),
    known: z.int().meta({ description: 'Recipients with a known price.' }),
    unknown: z.int().meta({ description: 'Recipients without: they are in neither amount.' }),
    category: z.enum(priceCategories).nullable().meta({ description: 'The category of the messages; null: no card prices it.' }),
    countries: z
      .array(
        z.object({
          country: z.string().nullable().meta({ description: 'The country of the recipients; null: of no known country.' }),
          recipients: z.int().meta({ description: 'How many.' }),
          price: z.string().nullable().meta({ description: 'Of one message; null: unknown.' }),
          amount: z.string().nullable().meta({ description: 'Of all of them; null: unknown.' }),
          reason: unknownReason.nullable().meta({ description: 'Why the price is unknown; null otherwise.' }),
        }),
      )
      .meta({ description: 'By country, most recipients first. The amounts add up to the estimate.' }),
    cards: z.array(z.string()).meta({ description: 'The ids of the rate cards that priced them.' }),
  })
  .meta({ id: 'SendCost', description: 'What a send costs.' });
export type SendCost = z.output<typeof sendCost>;
