import { type ErasureSubject, phonesOf, userIdsOf } from '../../../shared/contract/erasure.ts';
import { canonicalPhone } from './phone.ts';

/**
 * Whether a text mentions a contact, by phone, user id, email or full name: for what has no field that names the contact. A phone counts in
 * any spelling, also without its country code; a name only if it has several words, because a first name is not one contact's.
 */
export const mentionsContact = (text: string, subject: ErasureSubject): boolean => {
  const { email, name } = subject;
  const lower = text.toLowerCase();
  const words = [...userIdsOf(subject), email, name?.trim().includes(' ') ? name.trim() : undefined].filter(
    (word) => word !== undefined && word !== '',
  );
  if (words.some((word) => lower.includes(word?.toLowerCase() ?? ''))) return true;
  const phones = phonesOf(subject);
  if (phones.length === 0) return false;
  // what people write between the digits of one number
  const digits = text.replaceAll(/(?<=\d)[ .()/-]{1,3}(?=[\d(])/g, '');
  return [...new Set(phones.flatMap((phone) => [phone, canonicalPhone(phone)]))].some((each) =>
    digits.includes(each.slice(-subscriberDigits)),
  );
};

/** Of a number: enough to know it, without country code and trunk zero. */
const subscriberDigits = 9;
