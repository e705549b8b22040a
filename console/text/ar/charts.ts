import { inDigits, isolated, plural, type Translated } from '../text.ts';
import type { en } from '../en/charts.ts';

export const ar: Translated<typeof en> = {
  range: 'الفترة',
  lastDays: (days) =>
    plural('ar', days, {
      zero: 'اليوم',
      one: 'آخر يوم',
      two: 'آخر يومين',
      few: `آخر ${inDigits('ar', days)} أيام`,
      many: `آخر ${inDigits('ar', days)} يومًا`,
      other: `آخر ${inDigits('ar', days)} يوم`,
    }),
  asTable: 'عرض كجدول',
  asChart: 'عرض كمخطط',
  asFile: (title) => `ملف CSV: ${isolated(title)}`,
  count: 'العدد',
  share: 'النسبة',
  ofBefore: 'من الخطوة السابقة',
  noLimit: (used) => `${isolated(used)}، بلا حد أقصى`,
  ofLimit: (used, limit) => `${isolated(used)} من ${isolated(limit)}`,
};
