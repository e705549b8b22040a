import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { contactIdByPhone } from '../../contacts/service/contacts.ts';
import { eraseContact } from '../../erasures/service/erasures.ts';
import { revokeAllTrust } from '../../verification/service/trust.ts';
import type { PlatformNotice } from '../contract/platform-event.ts';
import type { Order } from '../contract/stored.ts';
import { disconnected, withoutTokens } from '../domain/connection.ts';
import { deleteCartActivity } from '../store/cart.ts';
import { getConnectionRow, getShopDomain, deleteShopDomain } from '../store/connection.ts';
import { getOrderRow } from '../store/order.ts';
import { createPrivacyRequest, privacyRequestKey } from '../store/privacy.ts';
import { phoneDigits } from './customers.ts';
import { modifyConnection } from './modify-connection.ts';
import { redactOrder } from './redact-order.ts';
import { orderIdByExternalId } from './upsert-order.ts';

/**
 * Applies the platform's notices. `app/uninstalled` destroys the store's tokens. `customers/data_request` records which data is held, for
 * the company to answer. `customers/redact` removes the customer from the named orders, starts the erasure of the contact and revokes the trust of
 * its verifications. `shop/redact` redacts all orders of the store, then deletes the store. Every notice may repeat.
 */
export const applyPlatformNotice = async (companyId: number, notice: PlatformNotice, key: string): Promise<void> => {
  const request = privacyRequestKey(notice.at, key);
  log.info('A notice of the store platform', { company_id: companyId, event: notice.topic });
  switch (notice.topic) {
    case 'app/uninstalled':
      return deactivateConnection(companyId, notice);
    case 'customers/data_request':
      return recordDataRequest(companyId, notice, request);
    case 'customers/redact':
      return redactCustomer(companyId, notice, request);
    case 'shop/redact':
      return redactShop(companyId, notice, request);
  }
};

/**
 * A connection created after the uninstallation belongs to a newer installation and stays. The platform has ended the tokens and deleted the
 * subscriptions itself; the change of the row revokes the receiver.
 */
async function deactivateConnection(companyId: number, { connectionId, shop, at }: PlatformNotice): Promise<void> {
  await modifyConnection(companyId, connectionId, (connection) =>
    connection.status !== 'active' || connection.shop !== shop || connection.connectedAt > at
      ? undefined
      : withoutTokens(disconnected(connection, now())),
  );
}

async function recordDataRequest(companyId: number, notice: PlatformNotice, request: string): Promise<void> {
  const { contactId, orders } = await findCustomerData(companyId, notice);
  await createPrivacyRequest({
    companyId,
    request,
    at: notice.at,
    topic: notice.topic,
    shop: notice.shop,
    connectionId: notice.connectionId,
    email: notice.email,
    phone: notice.phone,
    contactId,
    orderIds: orders.map(({ id }) => id),
    dueAt: notice.at + thirtyDaysMs,
  });
}

/** Redacts the named orders at once; the erasure of the contact (functions/erasures) removes everything else. */
async function redactCustomer(companyId: number, notice: PlatformNotice, request: string): Promise<void> {
  const { contactId, orders } = await findCustomerData(companyId, notice);
  const orderIds = orders.map(({ id }) => id);
  const contactIds = new Set([contactId, ...orders.map((order) => order.contactId)].filter((id) => id !== undefined));
  // Contacts first: a redacted order no longer names its contact, and a retry has to find it.
  for (const id of contactIds) await eraseContact(companyId, id, { cause: 'platform' });
  for (const id of orderIds) await redactOrder(companyId, id);
  const phone = notice.phone === undefined ? undefined : await phoneDigits(companyId, notice.phone);
  await deleteCartActivity(companyId, { checkoutIds: [], phone, email: notice.email });
  await revokeAllTrust(companyId, [phone, notice.email]);
  await createPrivacyRequest({
    companyId,
    request,
    at: notice.at,
    topic: notice.topic,
    shop: notice.shop,
    connectionId: notice.connectionId,
    contactId,
    orderIds,
    dueAt: notice.at,
    doneAt: now(),
  });
}

/**
 * Records the request; functions/shop/service/privacy-requests.ts works it slice by slice. A store that the company does not hold changes
 * nothing, and neither does one whose app was installed again after it was uninstalled.
 */
async function redactShop(companyId: number, { shop, connectionId, at, topic }: PlatformNotice, request: string): Promise<void> {
  const owner = await getShopDomain(shop);
  if (owner?.companyId !== companyId || owner.connectionId !== connectionId) return;
  const connection = await getConnectionRow(companyId, connectionId);
  if (connection?.status === 'active') return;
  // first the request: a retry after the look-up was deleted would not find the store
  const whole = { orderIds: [], dueAt: at, below: Number.MAX_SAFE_INTEGER };
  await createPrivacyRequest({ companyId, request, at, topic, shop, connectionId, ...whole });
  await deleteShopDomain(owner.shop, companyId);
}

/** The customer's contact, and those of the named orders that came from the store. */
async function findCustomerData(companyId: number, notice: PlatformNotice): Promise<{ contactId: number | undefined; orders: Order[] }> {
  const phone = notice.phone === undefined ? undefined : await phoneDigits(companyId, notice.phone);
  const [contactId, ...orders] = await Promise.all([
    phone === undefined ? undefined : contactIdByPhone(companyId, phone),
    ...notice.orderIds.map(async (externalId) => {
      const id = await orderIdByExternalId(companyId, 'storeplatform', externalId);
      return id === undefined ? undefined : getOrderRow(companyId, id, { consistent: true });
    }),
  ]);
  return { contactId, orders: orders.flatMap((order) => (order?.connectionId === notice.connectionId ? order : [])) };
}

const thirtyDaysMs = 30 * dayMs;
