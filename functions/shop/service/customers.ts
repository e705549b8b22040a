import { isProblem } from '../../../shared/contract/problems.ts';
import { normalizePhone } from '../../contacts/contract/phone.ts';
import { ensureContact } from '../../contacts/service.ts';
import type { Customer } from '../domain/order.ts';
import { phoneOf } from '../domain/phone.ts';

/**
 * The customer of an order or a cart as a contact, created when there is none; consent stays as it is. `platform`: the phone is as the
 * buyer typed it, in the given country. Without a usable phone number, or above the plan's contact limit, the order has no contact: an
 * order is never rejected for its customer.
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

/** The digits of a phone number, or undefined when it is not one. */
export const digitsOf = (phone: string, platform?: { country: string | undefined }): string | undefined => {
  if (platform) {
    const read = phoneOf(phone, platform.country);
    const normalized = read === undefined ? undefined : normalizePhone(`+${read}`);
    return normalized?.ok ? normalized.digits : undefined;
  }
  const normalized = normalizePhone(phone);
  return normalized.ok ? normalized.digits : undefined;
};
