import { inDigits, type Translated } from '../text.ts';
import type { en } from '../en/viewer.ts';

export const ar: Translated<typeof en> = {
  picture: 'صورة',
  previous: 'الصورة السابقة',
  next: 'الصورة التالية',
  original: 'فتح الملف',
  place: (nth, all) => `${inDigits('ar', nth)} من ${inDigits('ar', all)}`,
};
