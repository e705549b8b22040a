import { type ErasureSlice, type ErasureSubject, phonesOf, sliceOf } from '../../../shared/contract/erasure.ts';
import { getCounter } from '../../../shared/table/counter.ts';
import { mentionsContact } from '../../contacts/contract/mentions.ts';
import { canonicalPhone } from '../../contacts/contract/phone.ts';
import { orderEntityName } from '../contract/stored.ts';
import { deleteCartActivity, deleteCart, listActivity, listStoredCarts } from '../store/cart.ts';
import { deleteTestCall, listStoredTestCalls } from '../store/delivery.ts';
import { listOrdersBelow } from '../store/order.ts';
import { listAllPrivacyRequestRows, removeCustomerOfRequest } from '../store/privacy.ts';
import { redactOrder } from './redact-order.ts';

/** What the shop removes of an erased customer; each function finds one slice, and changes nothing. */

interface Customer {
  contactId?: number | undefined;
  phone?: string | undefined;
  email?: string | undefined;
}

/** By the contact; without one by phone or email, as the source wrote them. */
const isOfSubject = (subject: ErasureSubject, { contactId, phone, email }: Customer): boolean => {
  if (contactId !== undefined) return contactId === subject.contactId;
  const isSamePhone = phone !== undefined && phonesOf(subject).some((own) => canonicalPhone(own) === canonicalPhone(phone));
  const isSameEmail = email !== undefined && email.trim().toLowerCase() === subject.email?.trim().toLowerCase();
  return isSamePhone || isSameEmail;
};

/** Orders have no list by customer, so all are walked, newest first. */
export const ordersToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const { companyId } = subject;
  const from = cursor === undefined ? (await getCounter(companyId, orderEntityName)).lastId + 1 : Number(cursor);
  const { records, below } = await listOrdersBelow(companyId, from, ordersPerSlice);
  const found = records.filter(
    ({ redactedAt, contactId, customerPhone: phone, customerEmail: email }) =>
      redactedAt === undefined && isOfSubject(subject, { contactId, phone, email }),
  );
  return sliceOf(
    found.map(
      ({ id }) =>
        () =>
          redactOrder(companyId, id),
    ),
    below <= 1 ? undefined : String(below),
  );
};

export const cartsToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const { companyId } = subject;
  const { carts, next } = await listStoredCarts(companyId, cursor);
  const found = carts.filter(({ phone, email }) => isOfSubject(subject, { phone, email }));
  return sliceOf(
    found.map(({ key, checkoutIds }) => async () => {
      await deleteCartActivity(companyId, { checkoutIds });
      await deleteCart(companyId, key);
    }),
    next,
  );
};

/** When the customer ordered and was reminded, by phone and email. */
export const customerActivity = async (subject: ErasureSubject): Promise<(() => Promise<void>)[]> => {
  const { companyId, phone, email, formerPhones = [] } = subject;
  const customers = [{ phone, email }, ...formerPhones.map((former) => ({ phone: former }))].map((of) => ({ checkoutIds: [], ...of }));
  const found = await Promise.all(customers.map((keys) => listActivity(companyId, keys)));
  return customers.filter((_, place) => (found[place] ?? []).length > 0).map((keys) => () => deleteCartActivity(companyId, keys));
};

export const testCallsToErase = async (subject: ErasureSubject): Promise<(() => Promise<void>)[]> =>
  (await listStoredTestCalls(subject.companyId))
    .filter(({ body }) => mentionsContact(body, subject))
    .map((call) => () => deleteTestCall(call));

/** The requests stay as the company's record; what identifies the customer goes. */
export const privacyRequestsToErase = async (subject: ErasureSubject): Promise<(() => Promise<void>)[]> =>
  (await listAllPrivacyRequestRows(subject.companyId))
    .filter(({ phone, email }) => phone !== undefined || email !== undefined)
    .filter(({ contactId, phone, email }) => isOfSubject(subject, { contactId, phone: phone?.replaceAll(/\D/g, ''), email }))
    .map((request) => () => removeCustomerOfRequest(request));

const ordersPerSlice = 256;
