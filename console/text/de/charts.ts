import type { Translated } from '../text.ts';
import type { en } from '../en/charts.ts';

export const de: Translated<typeof en> = {
  range: 'Zeitraum',
  lastDays: (days) => `Letzte ${days} Tage`,
  asTable: 'Als Tabelle zeigen',
  asChart: 'Als Diagramm zeigen',
  asFile: (title) => `CSV: ${title}`,
  count: 'Anzahl',
  share: 'Anteil',
  ofBefore: 'Vom Schritt davor',
  noLimit: (used) => `${used}, ohne Grenze`,
  ofLimit: (used, limit) => `${used} von ${limit}`,
};
