import type { Translated } from '../text.ts';
import type { en } from '../en/snooze.ts';

export const de: Translated<typeof en> = {
  title: 'Zurückstellen bis',
  hour: 'In einer Stunde',
  evening: 'Heute Abend',
  tomorrow: 'Morgen früh',
  monday: 'Nächsten Montag',
  own: 'Ein anderer Zeitpunkt',
  snooze: 'Zurückstellen',
  early: 'Dieser Zeitpunkt ist vorbei.',
  late: 'Höchstens ein Jahr ab heute.',
  hint: 'Dann kommt die Unterhaltung von selbst zurück, als ungelesen; sofort, wenn der Kunde schreibt.',
};
