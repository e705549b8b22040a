import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { ulid } from '../../../shared/runtime/ids.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getCompany } from '../../account/service/companies.ts';
import { planLimitProblem } from '../../account/service/plan.ts';
import { changed, type Contact, isLive, restored } from '../domain/contact.ts';
import type { Field } from '../domain/field.ts';
import { canonicalPhone } from '../contract/phone.ts';
import {
  createContactAndIdentities,
  getContactById,
  getPhoneIdentity,
  getUserIdentity,
  updateContactAndIdentities,
  updateContact,
} from '../store/contact.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { releaseQuota, type QuotaReservation, reserveQuota } from '../store/quota.ts';

/**
 * How a request meets the one contact that it means, whatever other calls do at the same moment: found by identity, made when there is
 * none, restored when it was deleted, changed on the condition that nobody wrote it since it was read.
 */

/** Writes race by `rev`: who lost reads again, consistently. After so many lost races the call fails, and may be repeated. */
const maxAttempts = 12;

export interface UpsertChanges<P> {
  /** `fields`: all definitions of the company. */
  create: (id: number, at: number, fields: readonly Field[]) => Contact | P;
  update: (contact: Contact, at: number) => Contact | P;
  /** Whether the plan's limit holds. */
  isLimited: boolean;
}

/** Finds the holder of an identity; `consistent` after a lost race. */
export type FindByIdentity = (consistent: boolean) => Promise<Contact | undefined>;

/** The contact of an identity after `meeting`: created, changed, restored, or found as it is to be. `held`: what a first look found. */
export async function upsertByIdentity<P extends Problem>(
  companyId: number,
  find: FindByIdentity,
  firstRead: Contact | undefined,
  { create, update, isLimited: limited }: UpsertChanges<P>,
): Promise<{ contact: Contact; created: boolean } | P | Problem<'plan_limit_reached'>> {
  let reservation: QuotaReservation | undefined;
  let isReservationUsed = false;
  const reserve = async (restores?: number): Promise<QuotaReservation | Problem<'plan_limit_reached'>> => {
    if (reservation) return reservation;
    const taken = await reserveOne(companyId, limited, restores);
    if (!isProblem(taken)) reservation = taken;
    return taken;
  };
  const releaseUnused = async <T>(outcome: T): Promise<T> => {
    if (reservation?.name !== undefined && !isReservationUsed) await releaseQuota(companyId, reservation.name, 1);
    return outcome;
  };
  for (let attempt = 1, seen = firstRead; attempt <= maxAttempts; attempt++, await pause(attempt), seen = await find(true)) {
    if (seen === undefined) {
      const [reserved, fields] = await Promise.all([reserve(), listFieldDefinitions(companyId)]);
      if (isProblem(reserved)) return reserved;
      const contact = create(reserved.firstId, now(), fields);
      if (!isContact(contact)) return releaseUnused(contact);
      const made = await createContactAndIdentities(withReservation(contact, reserved));
      if (made === 'done') {
        isReservationUsed = true;
        return { contact, created: true };
      }
      continue;
    }
    const { id } = seen;
    const restorable = await withoutLostIdentity(seen, 'user');
    const at = now();
    const wanted = update(restored(restorable), at);
    if (!isContact(wanted)) return releaseUnused(wanted);
    const contact = changed(restorable, wanted, at);
    if (contact === undefined) return releaseUnused({ contact: seen, created: false });
    if (isLive(seen)) {
      const outcome = hasSameIdentities(seen, contact) ? await updateContact(contact) : await updateContactAndIdentities(seen, contact);
      if (outcome === 'done') return releaseUnused({ contact, created: false });
      continue;
    }
    const reserved = limited ? await reserve(id) : undefined;
    if (isProblem(reserved)) return reserved;
    if ((await updateContactAndIdentities(restorable, withReservation(contact, reserved))) === 'done') {
      isReservationUsed = reserved !== undefined;
      return { contact, created: false };
    }
  }
  await releaseUnused(undefined);
  throw new Contended();
}

/** A live contact after `change`. `missing`: there is none; `taken`: its new phone is another contact's. */
export async function updateLiveContact<P extends Problem>(
  companyId: number,
  id: number,
  found: Contact | undefined,
  change: (contact: Contact, at: number) => Contact | P,
): Promise<Contact | P | 'missing' | 'taken'> {
  for (
    let attempt = 1, seen = found;
    attempt <= maxAttempts;
    attempt++, await pause(attempt), seen = await getContactById(companyId, id, true)
  ) {
    if (!isLive(seen)) return 'missing';
    const at = now();
    const wanted = change(seen, at);
    if (!isContact(wanted)) return wanted;
    const contact = changed(seen, wanted, at);
    if (contact === undefined) return seen;
    const outcome = hasSameIdentities(seen, contact) ? await updateContact(contact) : await updateContactAndIdentities(seen, contact);
    if (outcome === 'done') return contact;
    if (outcome === 'taken') return 'taken';
  }
  throw new Contended();
}

/** An identity read a moment too early may still name the contact that had the phone before: then both are read consistently. */
export async function getContactByPhone(companyId: number, phone: string, consistent: boolean): Promise<Contact | undefined> {
  const identity = await getPhoneIdentity(companyId, phone, consistent);
  const contact = identity && (await getContactById(companyId, identity.contactId, consistent));
  const hasPhone = contact !== undefined && canonicalPhone(contact.phone) === canonicalPhone(phone);
  if (identity === undefined || hasPhone) return contact;
  return consistent ? undefined : getContactByPhone(companyId, phone, true);
}

/**
 * A deleted contact, found by one of its names, without the other when a live contact has that by now: it cannot come back with it.
 * 1 RRU for a deleted contact that has both, else nothing.
 */
export async function withoutLostIdentity(contact: Contact, other: 'phone' | 'user'): Promise<Contact> {
  const { companyId, id, phone, userId, ...rest } = contact;
  if (contact.deletedAt === undefined || phone === '' || userId === undefined) return contact;
  const identity = await (other === 'phone' ? getPhoneIdentity(companyId, phone, true) : getUserIdentity(companyId, userId, true));
  const isLost = identity !== undefined && identity.contactId !== id && identity.expires === undefined;
  if (!isLost) return contact;
  return other === 'phone' ? { ...contact, phone: '' } : { ...rest, companyId, id, phone };
}

/** The plan's limit on contacts; null: none. 0.5 RRU. */
export const contactsLimit = async (companyId: number): Promise<number | null> =>
  (await getCompany(companyId))?.plan.limits.contacts ?? null;

async function reserveOne(
  companyId: number,
  limited: boolean,
  restores?: number,
): Promise<QuotaReservation | Problem<'plan_limit_reached'>> {
  const limit = limited ? await contactsLimit(companyId) : null;
  const room = await reserveQuota(companyId, 1, limit, ulid(now()), restores);
  return room.granted === 1 ? room : planLimitProblem('contacts', limit, room.used);
}

export const withReservation = (contact: Contact, room: QuotaReservation | undefined): Contact =>
  room?.name === undefined ? contact : { ...contact, reservation: room.name };

const hasSameIdentities = (before: Contact, after: Contact): boolean =>
  after.phone === before.phone && after.userId === before.userId && isLive(before) === isLive(after);

const isContact = <P extends Problem>(value: Contact | P): value is Contact => 'rev' in value;

/** The stack answers it with 503 and Retry-After, a worker's queue with another delivery. */
export class Contended extends Error {
  override name = 'TransactionConflict';
}

export const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 10 * 2 ** attempt)));
