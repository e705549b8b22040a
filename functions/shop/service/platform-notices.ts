import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { contactIdByPhone, deleteContact } from '../../contacts/service.ts';
import { revokeAllTrust } from '../../verification/service/trust.ts';
import type { PlatformNotice } from '../contract/platform-event.ts';
import { disconnected } from '../domain/connection.ts';
import { redacted } from '../domain/order.ts';
import { deleteActivity } from '../store/cart.ts';
import { getConnectionRow, getShopDomain, deleteShopDomain, updateConnection } from '../store/connection.ts';
import { getOrderRow } from '../store/order.ts';
import { createPrivacyRequest, privacyRequestKey } from '../store/privacy.ts';
import { digitsOf } from './customers.ts';
import { modifyOrder } from './orders.ts';
import { orderIdByExternalId } from './upsert-order.ts';

/**
 * What privacy law has the platform tell (S27). `app/uninstalled` destroys the store's tokens; `customers/data_request` is written down
 * with what is held, for the company to answer; `customers/redact` takes the person out of the orders named, deletes their contact and
 * takes back what their verifications gave (V19); `shop/redact` does so with all the store's orders, then forgets the store. Each may
 * come twice.
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

/** A connection made after the uninstallation was another installation, and stays. */
async function deactivateConnection(companyId: number, { shop, at }: PlatformNotice): Promise<void> {
  const owner = shop === undefined ? undefined : await getShopDomain(shop.toLowerCase());
  if (owner?.companyId !== companyId) return;
  for (let attempt = 0; attempt < 12; attempt++) {
    const connection = await getConnectionRow(companyId, owner.connectionId);
    if (connection?.status !== 'active' || connection.connectedAt > at) return;
    if ((await updateConnection(disconnected(connection, now()))).done) return;
  }
  throw new Error('A connection changed too often to be ended.');
}

async function recordDataRequest(companyId: number, notice: PlatformNotice, request: string): Promise<void> {
  const { contactId, orderIds } = await findCustomerData(companyId, notice);
  await createPrivacyRequest({
    companyId,
    request,
    at: notice.at,
    topic: notice.topic,
    shop: notice.shop ?? '',
    email: notice.email,
    phone: notice.phone,
    contactId,
    orderIds,
    dueAt: notice.at + thirtyDaysMs,
  });
}

/** Only the orders that are named: those the law lets the merchant keep are left out on purpose. */
async function redactCustomer(companyId: number, notice: PlatformNotice, request: string): Promise<void> {
  const { contactId, orderIds } = await findCustomerData(companyId, notice);
  const found = await Promise.all(orderIds.map((id) => getOrderRow(companyId, id, true)));
  const contactIds = new Set([contactId, ...found.map((order) => order?.contactId)].filter((id) => id !== undefined));
  // in this order: a redacted order no longer says whose it was, and this may have to be done again
  for (const id of contactIds) await deleteContact(companyId, id);
  for (const id of orderIds) await redactOrder(companyId, id);
  const phone = notice.phone === undefined ? undefined : digitsOf(notice.phone, { country: undefined });
  await deleteActivity(companyId, { checkoutIds: [], phone, email: notice.email });
  await revokeAllTrust(companyId, [phone, notice.email]);
  await createPrivacyRequest({
    companyId,
    request,
    at: notice.at,
    topic: notice.topic,
    shop: notice.shop ?? '',
    contactId,
    orderIds,
    dueAt: notice.at,
    doneAt: now(),
  });
}

/** The row is worked slice by slice (functions/shop/service/privacy-requests.ts). */
async function redactShop(companyId: number, { shop, at, topic }: PlatformNotice, request: string): Promise<void> {
  const owner = shop === undefined ? undefined : await getShopDomain(shop.toLowerCase());
  if (owner !== undefined && owner.companyId === companyId) {
    const connection = await getConnectionRow(companyId, owner.connectionId);
    // installed again since it was uninstalled
    if (connection?.status === 'active') return;
    await deleteShopDomain(owner.shop, companyId);
  }
  await createPrivacyRequest({ companyId, request, at, topic, shop: shop ?? '', orderIds: [], dueAt: at, below: Number.MAX_SAFE_INTEGER });
}

export const redactOrder = async (companyId: number, id: number): Promise<void> => {
  const changed = await modifyOrder<never>(companyId, id, (order) => redacted(order, order.redactedAt ?? now()));
  if (isProblem(changed) && changed.problem === 'conflict') throw new Error('An order changed too often to be redacted.');
};

async function findCustomerData(companyId: number, notice: PlatformNotice): Promise<{ contactId: number | undefined; orderIds: number[] }> {
  const phone = notice.phone === undefined ? undefined : digitsOf(notice.phone, { country: undefined });
  const [contactId, ...orderIds] = await Promise.all([
    phone === undefined ? undefined : contactIdByPhone(companyId, phone),
    ...notice.orderIds.map((id) => orderIdByExternalId(companyId, 'storeplatform', id)),
  ]);
  return { contactId, orderIds: orderIds.filter((id) => id !== undefined) };
}

const thirtyDaysMs = 30 * 86_400_000;
