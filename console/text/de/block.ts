import type { Translated } from '../text.ts';
import type { en } from '../en/block.ts';

export const de: Translated<typeof en> = {
  title: (name: string) => `${name} blockieren?`,
  hint: 'Der Kontakt kann Ihnen nicht mehr schreiben, und ihm wird nichts gesendet: keine Antwort, keine Vorlage, keine Kampagne. Sie können das jederzeit aufheben.',
  done: 'Blockiert',
};
