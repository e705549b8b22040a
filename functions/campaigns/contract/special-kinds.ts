import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';

/** What limited-time offers and multi-product templates take beside the values of their placeholders. */

export const offerEnd = text(40, 1);

const productId = text(100, 1);
const maxProducts = 30;

/** The limits of the provider: 10 sections, 30 products. */
export const products = z
  .object({
    sections: z
      .array(
        z.object({
          title: text(24, 1).meta({ description: 'The title of the section, up to 24 characters.' }),
          product_ids: z
            .array(productId, { error: 'Must be a list of ids.' })
            .min(1, { error: 'Must have at least one product.' })
            .meta({ description: 'The ids of the products in the catalog: their `retailer_id`.' }),
        }),
        { error: 'Must be a list of sections.' },
      )
      .min(1, { error: 'Must have at least one section.' })
      .max(10, { error: 'Must have at most 10 sections.' })
      .refine((sections) => sections.reduce((sum, each) => sum + each.product_ids.length, 0) <= maxProducts, {
        error: `Must have at most ${maxProducts} products in all.`,
      })
      .meta({ description: 'Up to 10 sections, with up to 30 products in all.' }),
    thumbnail_product_id: productId.optional().meta({ description: 'The product whose picture is shown; the first one by default.' }),
  })
  .meta({ id: 'TemplateProducts' });
