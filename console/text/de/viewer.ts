import type { Translated } from '../text.ts';
import type { en } from '../en/viewer.ts';

export const de: Translated<typeof en> = {
  picture: 'Bild',
  previous: 'Vorheriges Bild',
  next: 'Nächstes Bild',
  original: 'Datei öffnen',
  place: (nth, all) => `${nth} von ${all}`,
};
