import { isProblem } from '../../../shared/contract/problems.ts';
import { normalizePhone } from '../../contacts/contract/phone.ts';
import { ensureContact } from '../../contacts/service.ts';
import type { Customer } from '../domain/order.ts';
import { phoneOf } from '../domain/phone.ts';

/**
 * The customer of an order or a cart as a contact of the company, made when there is none; consent stays as it is (S17). `country`: the
 * phone comes from a platform, as the buyer typed it. A text that is no phone number, or a company whose plan allows no more contacts,
 * leaves the order without a contact: an order is never turned away for it.
 */
export const customerOf = async (
  companyId: number,
  { phone, name, platform }: { phone: string | undefined; name: string | undefined; platform?: { country: string | undefined } },
): Promise<Customer> => {
  if (phone === undefined || phone.trim() === '') return { phone: undefined, contactId: undefined };
  const digits = digitsOf(phone, platform);
  if (digits === undefined) return { phone, contactId: undefined };
  const ensured = await ensureContact(companyId, { phone: digits, source: 'api', ...(name ? { name } : {}) });
  return { phone: digits, contactId: isProblem(ensured) ? undefined : ensured.contact.id };
};

/** The phone's digits, for looking up; undefined when it is none. */
export const digitsOf = (phone: string, platform?: { country: string | undefined }): string | undefined => {
  if (platform) {
    const read = phoneOf(phone, platform.country);
    const normalized = read === undefined ? undefined : normalizePhone(`+${read}`);
    return normalized?.ok ? normalized.digits : undefined;
  }
  const normalized = normalizePhone(phone);
  return normalized.ok ? normalized.digits : undefined;
};
