import type { Translated } from '../text.ts';
import type { en } from '../en/developers.ts';

export const de: Translated<typeof en> = {
  title: 'Entwickler',
  events: 'Ereignisse',
};
