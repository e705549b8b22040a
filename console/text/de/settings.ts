import type { Translated } from '../text.ts';
import type { en } from '../en/settings.ts';

export const de: Translated<typeof en> = {
  title: 'Einstellungen',
  company: 'Firma',
};
