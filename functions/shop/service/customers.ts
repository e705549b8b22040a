import { isProblem } from '../../../shared/contract/problems.ts';
import { readPhone } from '../../contacts/contract/phone.ts';
import { ensureContact } from '../../contacts/service.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import type { Customer } from '../domain/order.ts';

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
  const digits = await phoneDigits(companyId, phone, platform);
  if (digits === undefined) return { phone, contactId: undefined };
  const ensured = await ensureContact(companyId, { phone: digits, source: 'api', ...(name ? { name } : {}) });
  return { phone: digits, contactId: isProblem(ensured) ? undefined : ensured.contact.id };
};

/**
 * The digits of a phone number, or undefined when it is not one. Platforms forward what the buyer typed, so a number without a country code
 * takes the country of the postal address, where there is one.
 */
export const phoneDigits = async (
  companyId: number,
  phone: string,
  { country }: { country?: string | undefined } = {},
): Promise<string | undefined> => {
  const read = country === undefined ? await readCompanyPhone(companyId, phone) : readPhone(phone, country);
  return read.ok ? read.digits : undefined;
};
