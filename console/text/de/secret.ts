import type { Translated } from '../text.ts';
import type { en } from '../en/secret.ts';

export const de: Translated<typeof en> = {
  once: 'Dies wird nur einmal gezeigt. Kopieren Sie es jetzt dorthin, wo es gebraucht wird; nach dem Schließen kann nichts es wieder zeigen.',
  copyFirst: 'Erst kopieren.',
  stored: 'Ich habe es gespeichert',
  copy: (name) => `Kopieren: ${name}`,
};
