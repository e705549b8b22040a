import { isProblem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { contactIdByPhone, deleteContact } from '../../contacts/service.ts';
import { takeAllTrustBack } from '../../verification/service/trust.ts';
import type { SaidNotice } from '../contract/said.ts';
import { disconnected } from '../domain/connection.ts';
import { redacted } from '../domain/order.ts';
import { forgetCustomer } from '../store/cart.ts';
import { findConnection, findShopDomain, forgetShop, saveConnection } from '../store/connection.ts';
import { findOrder } from '../store/order.ts';
import { keepRequest, requestOf } from '../store/privacy.ts';
import { digitsOf } from './customers.ts';
import { changeOrder } from './orders.ts';
import { orderIdOf } from './placing.ts';

/**
 * What privacy law has the platform tell (S27). `app/uninstalled` destroys the store's tokens; `customers/data_request` is written down
 * with what is held, for the company to answer; `customers/redact` takes the person out of the orders named, deletes their contact and
 * takes back what their verifications gave (V19); `shop/redact` does so with all the store's orders, then forgets the store. Each may
 * come twice.
 */
export const takeNotice = async (companyId: number, said: SaidNotice, key: string): Promise<void> => {
  const request = requestOf(said.at, key);
  log.info('A notice of the store platform', { company_id: companyId, event: said.topic });
  switch (said.topic) {
    case 'app/uninstalled':
      return uninstall(companyId, said);
    case 'customers/data_request':
      return writeDown(companyId, said, request);
    case 'customers/redact':
      return redactCustomer(companyId, said, request);
    case 'shop/redact':
      return redactShop(companyId, said, request);
  }
};

/** A connection made after the uninstallation was another installation, and stays. */
async function uninstall(companyId: number, { shop, at }: SaidNotice): Promise<void> {
  const owner = shop === undefined ? undefined : await findShopDomain(shop.toLowerCase());
  if (owner?.companyId !== companyId) return;
  for (let attempt = 0; attempt < 12; attempt++) {
    const connection = await findConnection(companyId, owner.connectionId);
    if (connection?.status !== 'active' || connection.connectedAt > at) return;
    if ((await saveConnection(disconnected(connection, now()))).done) return;
  }
  throw new Error('A connection changed too often to be ended.');
}

async function writeDown(companyId: number, said: SaidNotice, request: string): Promise<void> {
  const { contactId, orderIds } = await heldOf(companyId, said);
  await keepRequest({
    companyId,
    request,
    at: said.at,
    topic: said.topic,
    shop: said.shop ?? '',
    email: said.email,
    phone: said.phone,
    contactId,
    orderIds,
    dueAt: said.at + thirtyDaysMs,
  });
}

/** Only the orders that are named: those the law lets the merchant keep are left out on purpose. */
async function redactCustomer(companyId: number, said: SaidNotice, request: string): Promise<void> {
  const { contactId, orderIds } = await heldOf(companyId, said);
  const found = await Promise.all(orderIds.map((id) => findOrder(companyId, id, true)));
  const contactIds = new Set([contactId, ...found.map((order) => order?.contactId)].filter((id) => id !== undefined));
  // in this order: a redacted order no longer says whose it was, and this may have to be done again
  for (const id of contactIds) await deleteContact(companyId, id);
  for (const id of orderIds) await redactOrder(companyId, id);
  const phone = said.phone === undefined ? undefined : digitsOf(said.phone, { country: undefined });
  await forgetCustomer(companyId, { checkoutIds: [], phone, email: said.email });
  await takeAllTrustBack(companyId, [phone, said.email]);
  await keepRequest({
    companyId,
    request,
    at: said.at,
    topic: said.topic,
    shop: said.shop ?? '',
    contactId,
    orderIds,
    dueAt: said.at,
    doneAt: now(),
  });
}

/** The row is worked slice by slice (functions/shop/service/redacting.ts). */
async function redactShop(companyId: number, { shop, at, topic }: SaidNotice, request: string): Promise<void> {
  const owner = shop === undefined ? undefined : await findShopDomain(shop.toLowerCase());
  if (owner !== undefined && owner.companyId === companyId) {
    const connection = await findConnection(companyId, owner.connectionId);
    // installed again since it was uninstalled
    if (connection?.status === 'active') return;
    await forgetShop(owner.shop, companyId);
  }
  await keepRequest({ companyId, request, at, topic, shop: shop ?? '', orderIds: [], dueAt: at, below: Number.MAX_SAFE_INTEGER });
}

export const redactOrder = async (companyId: number, id: number): Promise<void> => {
  const changed = await changeOrder<never>(companyId, id, (order) => redacted(order, order.redactedAt ?? now()));
  if (isProblem(changed) && changed.problem === 'conflict') throw new Error('An order changed too often to be redacted.');
};

async function heldOf(companyId: number, said: SaidNotice): Promise<{ contactId: number | undefined; orderIds: number[] }> {
  const phone = said.phone === undefined ? undefined : digitsOf(said.phone, { country: undefined });
  const [contactId, ...orderIds] = await Promise.all([
    phone === undefined ? undefined : contactIdByPhone(companyId, phone),
    ...said.orderIds.map((id) => orderIdOf(companyId, 'storeplatform', id)),
  ]);
  return { contactId, orderIds: orderIds.filter((id) => id !== undefined) };
}

const thirtyDaysMs = 30 * 86_400_000;
