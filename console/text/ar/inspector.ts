import type { Translated } from '../text.ts';
import type { en } from '../en/inspector.ts';

export const ar: Translated<typeof en> = {
  object: 'العنصر',
  events: 'الأحداث',
  requests: 'الطلبات',
  code: 'التعليمات البرمجية',
  asCurl: 'curl',
  asTypeScript: 'TypeScript',
  noEvents: 'لا أحداث لهذا السجل في آخر 30 يومًا.',
  noRequests: 'لم تُجرِ هذه الصفحة أي طلب بعد.',
  noObject: 'افتح سجلًا، مثل محادثة، لتراه هنا.',
};
