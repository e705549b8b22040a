import { isolated, type Translated } from '../text.ts';
import type { en } from '../en/received.ts';

export const ar: Translated<typeof en> = {
  ownNumber: 'شارك رقم هاتفه',
  advertisement: 'من إعلان',
  product: (product) => `بخصوص المنتج ${isolated(product)}`,
};
