import type { SummaryLanguage } from '../contract/stored.ts';

/** The words of the email. Values stand beside names, so that no language needs the forms of a count. */
export interface SummaryTexts {
  title: (company: string, days: string) => string;
  delivered: string;
  failed: string;
  answered: string;
  medianAnswer: string;
  closed: string;
  medianClose: string;
  waiting: string;
  campaigns: string;
  cost: string;
  verified: string;
  before: (value: string) => string;
  atLeast: (count: string) => string;
  reached: (delivered: string, read: string) => string;
  more: (count: string) => string;
  withoutPrice: (count: string) => string;
  ofAll: (part: string, all: string, share: string) => string;
  none: string;
  days: string;
  why: string;
  off: string;
}

const en: SummaryTexts = {
  title: (company, days) => `The week of ${company}: ${days}`,
  delivered: 'Messages delivered',
  failed: 'Messages that failed',
  answered: 'Answers to waiting customers',
  medianAnswer: 'Half of the answers came within',
  closed: 'Conversations closed',
  medianClose: 'Half of them were open for less than',
  waiting: 'Conversations that wait for an answer now',
  campaigns: 'Campaigns finished',
  cost: 'What the messages cost',
  verified: 'Verifications that succeeded',
  before: (value) => `the week before: ${value}`,
  atLeast: (count) => `at least ${count}`,
  reached: (delivered, read) => `delivered ${delivered}, read ${read}`,
  more: (count) => `more: ${count}`,
  withoutPrice: (count) => `messages without a known price: ${count}`,
  ofAll: (part, all, share) => `${part} of ${all} (${share})`,
  none: 'none',
  days: 'Days begin at midnight UTC.',
  why: 'You get this email because you switched it on in the console.',
  off: 'Switch it off',
};

const de: SummaryTexts = {
  title: (company, days) => `Die Woche von ${company}: ${days}`,
  delivered: 'Zugestellte Nachrichten',
  failed: 'Fehlgeschlagene Nachrichten',
  answered: 'Antworten an wartende Kunden',
  medianAnswer: 'Die Hälfte der Antworten kam innerhalb von',
  closed: 'Geschlossene Unterhaltungen',
  medianClose: 'Die Hälfte war kürzer offen als',
  waiting: 'Unterhaltungen, die jetzt auf Antwort warten',
  campaigns: 'Beendete Kampagnen',
  cost: 'Kosten der Nachrichten',
  verified: 'Erfolgreiche Verifizierungen',
  before: (value) => `in der Woche davor: ${value}`,
  atLeast: (count) => `mindestens ${count}`,
  reached: (delivered, read) => `zugestellt ${delivered}, gelesen ${read}`,
  more: (count) => `weitere: ${count}`,
  withoutPrice: (count) => `Nachrichten ohne bekannten Preis: ${count}`,
  ofAll: (part, all, share) => `${part} von ${all} (${share})`,
  none: 'keine',
  days: 'Tage beginnen um Mitternacht UTC.',
  why: 'Sie bekommen diese E-Mail, weil Sie sie in der Konsole eingeschaltet haben.',
  off: 'Ausschalten',
};

const ar: SummaryTexts = {
  title: (company, days) => `أسبوع ${company}: ${days}`,
  delivered: 'الرسائل المسلَّمة',
  failed: 'الرسائل التي فشلت',
  answered: 'الردود على العملاء المنتظرين',
  medianAnswer: 'وصل نصف الردود خلال',
  closed: 'المحادثات المغلقة',
  medianClose: 'بقي نصفها مفتوحًا أقل من',
  waiting: 'المحادثات التي تنتظر ردًا الآن',
  campaigns: 'الحملات المنتهية',
  cost: 'تكلفة الرسائل',
  verified: 'عمليات التحقق الناجحة',
  before: (value) => `في الأسبوع السابق: ${value}`,
  atLeast: (count) => `${count} على الأقل`,
  reached: (delivered, read) => `سُلِّمت ${delivered}، قُرئت ${read}`,
  more: (count) => `غيرها: ${count}`,
  withoutPrice: (count) => `رسائل بلا سعر معروف: ${count}`,
  ofAll: (part, all, share) => `${part} من ${all} (${share})`,
  none: 'لا شيء',
  days: 'تبدأ الأيام عند منتصف الليل بالتوقيت العالمي المنسَّق.',
  why: 'تصلك هذه الرسالة لأنك فعّلتها في لوحة التحكم.',
  off: 'إيقافها',
};

export const summaryTexts: Readonly<Record<SummaryLanguage, SummaryTexts>> = { en, de, ar };
