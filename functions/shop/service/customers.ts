import { isProblem } from '../../../shared/contract/problems.ts';
import { email as emailField } from '../../../shared/contract/fields.ts';
import { readPhone } from '../../contacts/contract/phone.ts';
import { contactIdByPhone, ensureContact } from '../../contacts/service/contacts.ts';
import { setConsent } from '../../contacts/service/consent.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import type { CustomerUpdate } from '../contract/platform-event.ts';
import type { Customer } from '../domain/order.ts';

interface CustomerRequest {
  phone: string | undefined;
  name: string | undefined;
  email?: string | undefined;
  /** The customer declined marketing with the order. */
  isDeclined?: boolean | undefined;
  platform?: { country: string | undefined };
}

/** What a shop holds as an email may be anything. */
const validEmail = (text: string | undefined): string | undefined => {
  const read = emailField.safeParse(text);
  return read.success ? read.data : undefined;
};

/**
 * The customer of an order or a cart as a contact, created when there is none. A known contact keeps its consent. `platform`: the phone is as the
 * buyer typed it, in the given country. Without a usable phone number, or above the plan's contact limit, the order has no contact: an
 * order is never rejected for its customer.
 */
export const customerOf = async (companyId: number, { phone, name, email, isDeclined, platform }: CustomerRequest): Promise<Customer> => {
  if (phone === undefined || phone.trim() === '') return { phone: undefined, contactId: undefined };
  const digits = await phoneDigits(companyId, phone, platform);
  if (digits === undefined) return { phone, contactId: undefined };
  const ensured = await ensureContact(companyId, {
    phone: digits,
    source: 'api',
    email: validEmail(email),
    isDeclined,
    ...(name ? { name } : {}),
  });
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

/** A known contact learns its missing name and email from the shop, and is unsubscribed where the customer withdrew the consent there. */
export const applyCustomerUpdate = async (companyId: number, update: CustomerUpdate, evidence: string): Promise<void> => {
  const { phone, phoneCountry: country, name, email, isUnsubscribed, at } = update;
  const digits = await phoneDigits(companyId, phone, { country });
  const contactId = digits === undefined ? undefined : await contactIdByPhone(companyId, digits);
  if (digits === undefined || contactId === undefined) return;
  await ensureContact(companyId, { phone: digits, source: 'api', email: validEmail(email), ...(name ? { name } : {}) });
  if (isUnsubscribed) await setConsent(companyId, contactId, { subscribed: false, source: 'shop', at, evidence });
};
