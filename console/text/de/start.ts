import type { Translated } from '../text.ts';
import type { en } from '../en/start.ts';

export const de: Translated<typeof en> = {
  title: 'Unterhaltung beginnen',
  search: 'Name oder Telefon',
  searchHint: 'Suchen Sie einen Kontakt, oder geben Sie eine Telefonnummer mit Landesvorwahl ein.',
  searchShort: 'Zwei Buchstaben oder Ziffern finden Kontakte.',
  none: 'Kein Kontakt passt. Eine ganze Telefonnummer mit Landesvorwahl legt einen neuen an.',
  contacts: 'Kontakte',
  make: (phone) => `Neuer Kontakt mit ${phone}`,
  newContact: 'Neuer Kontakt',
  phone: 'Telefon',
  phoneHint: 'Mit Landesvorwahl, wie +49 151 23456789.',
  name: 'Name (freiwillig)',
  next: 'Weiter',
  from: 'Von',
  fromHint: 'Freier Text erreicht den Kontakt nur von der Nummer, an die er geschrieben hat.',
  isOpen: 'Der Kontakt hat in den letzten 24 Stunden geschrieben: Sie können frei schreiben.',
  isClosed: 'Der Kontakt hat dieser Nummer in den letzten 24 Stunden nicht geschrieben. Eine Vorlage eröffnet die Unterhaltung.',
  noNumber: 'Die Firma hat keine Nummer, von der geschrieben wird. Ein Administrator verbindet eine in den Einstellungen.',
  write: 'Schreiben',
  template: 'Vorlage wählen',
};
