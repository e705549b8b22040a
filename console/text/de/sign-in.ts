import type { Translated } from '../text.ts';
import type { en } from '../en/sign-in.ts';

export const de: Translated<typeof en> = {
  title: 'Bei Switchboard anmelden',
  email: 'E-Mail-Adresse',
  sendCode: 'Code senden',
  codeSent: 'Gehört die Adresse zu einem Konto, ist ein Code unterwegs. Er gilt zehn Minuten.',
  code: 'Code aus der E-Mail',
  signIn: 'Anmelden',
  byToken: 'Mit persönlichem Zugriffstoken',
  byEmail: 'Mit Code per E-Mail',
  byPasskey: 'Mit Passkey',
  token: 'Persönliches Zugriffstoken',
  tokenHint: 'Es wird gegen eine Sitzung getauscht und nicht in diesem Browser gespeichert.',
  chooseCompany: 'Welche Firma?',
  demo: 'Demo-Nutzer',
  demoHint: 'Nur auf diesem Rechner: ein Klick meldet Sie an.',
};
