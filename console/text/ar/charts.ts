import { isolated, type Translated } from '../text.ts';
import type { en } from '../en/charts.ts';

export const ar: Translated<typeof en> = {
  asTable: 'عرض كجدول',
  asChart: 'عرض كمخطط',
  count: 'العدد',
  share: 'النسبة',
  ofBefore: 'من الخطوة السابقة',
  noLimit: (used) => `${isolated(used)}، بلا حد أقصى`,
  ofLimit: (used, limit) => `${isolated(used)} من ${isolated(limit)}`,
};
