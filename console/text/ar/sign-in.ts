import { inDigits, isolated, plural, type Translated } from '../text.ts';
import type { en } from '../en/sign-in.ts';

export const ar: Translated<typeof en> = {
  title: 'تسجيل الدخول إلى Switchboard',
  email: 'البريد الإلكتروني',
  sendCode: 'إرسال رمز إليّ',
  codeSent: 'إذا كان هذا عنوان أحد المستخدمين فالرمز في طريقه إليه. وهو صالح لعشر دقائق.',
  code: 'الرمز الوارد في البريد',
  ended: 'انتهت جلستك. سجّل الدخول مجددًا: ما كتبته محفوظ، وستعود إلى حيث كنت.',
  sendAgain: 'إرسال رمز آخر',
  sendAgainIn: (seconds) =>
    plural('ar', seconds, {
      zero: 'رمز آخر الآن',
      one: 'رمز آخر بعد ثانية',
      two: 'رمز آخر بعد ثانيتين',
      few: `رمز آخر بعد ${inDigits('ar', seconds)} ثوانٍ`,
      many: `رمز آخر بعد ${inDigits('ar', seconds)} ثانية`,
      other: `رمز آخر بعد ${inDigits('ar', seconds)} ثانية`,
    }),
  otherAddress: 'استخدام عنوان آخر',
  signIn: 'تسجيل الدخول',
  byToken: 'استخدام رمز وصول شخصي',
  byEmail: 'استخدام رمز بالبريد الإلكتروني',
  byPasskey: 'استخدام مفتاح مرور',
  token: 'رمز الوصول الشخصي',
  tokenHint: 'يُستبدل بجلسة ولا يُحفظ في هذا المتصفح.',
  chooseCompany: 'أي شركة؟',
  addedBy: (email, at) => `لم تسجّل الدخول إليها من قبل. أضافك ${isolated(email)} في ${isolated(at)}.`,
  addedByOperator: (at) => `لم تسجّل الدخول إليها من قبل. تمت إضافتك في ${isolated(at)}.`,
  acceptCompany: (name) => `قبول والانتقال إلى ${isolated(name)}`,
  proofTitle: 'أثبت هويتك',
  proofText: 'ما يمنح صلاحية الوصول لا ينشئه إلا من سجّل الدخول خلال آخر عشر دقائق. تبقى صفحتك كما هي.',
  codeSentTo: (email) => `الرمز في طريقه إلى ${isolated(email)}. وهو صالح لعشر دقائق.`,
  confirm: 'تأكيد',
  proofDemo: 'هذا أنا (تجريبي)',
  demo: 'مستخدمون تجريبيون',
  demoHint: 'على هذا الجهاز فقط: نقرة واحدة تسجّل دخولك.',
};
