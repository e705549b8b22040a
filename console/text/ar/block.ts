import { isolated, type Translated } from '../text.ts';
import type { en } from '../en/block.ts';

export const ar: Translated<typeof en> = {
  title: (name) => `حظر ${isolated(name)}؟`,
  hint: 'لن تتمكن جهة الاتصال من مراسلتك، ولن يُرسَل إليها شيء: لا رد ولا قالب ولا حملة. يمكنك إلغاء الحظر في أي وقت.',
  done: 'تم الحظر',
};
