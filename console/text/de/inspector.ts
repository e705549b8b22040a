import type { Translated } from '../text.ts';
import type { en } from '../en/inspector.ts';

export const de: Translated<typeof en> = {
  object: 'Objekt',
  events: 'Ereignisse',
  requests: 'Anfragen',
  code: 'Code',
  asCurl: 'curl',
  asTypeScript: 'TypeScript',
  noEvents: 'Keine Ereignisse zu diesem Datensatz in den letzten 30 Tagen.',
  noRequests: 'Diese Seite hat noch nichts abgerufen.',
  noObject: 'Öffnen Sie einen Datensatz, etwa eine Unterhaltung, um ihn hier zu sehen.',
};
