import { isolated, type Translated } from '../text.ts';
import type { en } from '../en/secret.ts';

export const ar: Translated<typeof en> = {
  once: 'يظهر هذا مرة واحدة فقط. انسخه الآن إلى حيث تحتاج إليه؛ فبعد الإغلاق لا يمكن عرضه مجددًا.',
  copyFirst: 'انسخه أولًا.',
  stored: 'حفظته لديّ',
  copy: (name) => `نسخ: ${isolated(name)}`,
};
