import { inDigits, isolated, plural, type Translated } from '../text.ts';
import type { en } from '../en/received.ts';

export const ar: Translated<typeof en> = {
  ownNumber: 'شارك رقم هاتفه',
  advertisement: 'من إعلان',
  product: (product) => `بخصوص المنتج ${isolated(product)}`,
  order: (count) =>
    plural('ar', count, {
      zero: 'طلب بلا منتجات',
      one: 'طلب، منتج واحد',
      two: 'طلب، منتجان',
      few: `طلب، ${inDigits('ar', count)} منتجات`,
      many: `طلب، ${inDigits('ar', count)} منتجًا`,
      other: `طلب، ${inDigits('ar', count)} منتج`,
    }),
  requestsLocation: 'طلب للموقع',
  requestsPhone: 'طلب لرقم الهاتف',
  requestsAddress: 'طلب لعنوان',
  sentCatalog: 'يعرض الكتالوج',
  sentProducts: (count) =>
    plural('ar', count, {
      zero: 'لا يعرض منتجات',
      one: 'يعرض منتجًا',
      two: 'يعرض منتجين',
      few: `يعرض ${inDigits('ar', count)} منتجات`,
      many: `يعرض ${inDigits('ar', count)} منتجًا`,
      other: `يعرض ${inDigits('ar', count)} منتج`,
    }),
};
