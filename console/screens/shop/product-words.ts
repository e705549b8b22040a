import type { Product } from '../../../client/client.ts';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';

export const productStatuses = ['Active', 'Draft', 'Archived'] as const satisfies readonly Product['status'][];

/** What the states of a product are called. */
export const useProductStatuses = (): Readonly<Record<Product['status'], string>> => {
  const text = useText(shopText);
  return { Active: text.onSale, Draft: text.draft, Archived: text.archived };
};
