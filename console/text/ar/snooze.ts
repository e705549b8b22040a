import type { Translated } from '../text.ts';
import type { en } from '../en/snooze.ts';

export const ar: Translated<typeof en> = {
  title: 'تأجيل حتى',
  hour: 'بعد ساعة',
  evening: 'هذا المساء',
  tomorrow: 'صباح الغد',
  monday: 'الاثنين القادم',
  own: 'وقت آخر',
  snooze: 'تأجيل',
  early: 'هذا الوقت قد مضى.',
  late: 'سنة من الآن على الأكثر.',
  hint: 'تعود المحادثة تلقائيًا في ذلك الوقت كغير مقروءة، أو فورًا عندما يكتب العميل.',
};
