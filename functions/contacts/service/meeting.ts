import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { ulid } from '../../../shared/runtime/ids.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getCompany } from '../../account/service/companies.ts';
import { planRefusal } from '../../account/service/plan.ts';
import { changed, type Contact, isLive, restored } from '../domain/contact.ts';
import type { Field } from '../domain/field.ts';
import { canonicalPhone } from '../domain/phone.ts';
import { createContact, findContact, findIdentity, findUserIdentity, moveContact, updateContact } from '../store/contact.ts';
import { listFields } from '../store/field.ts';
import { giveBack, type Room, takeRoom } from '../store/room.ts';

/**
 * How a request meets the one contact that it means, whatever other calls do at the same moment: found by identity, made when there is
 * none, restored when it was deleted, changed on the condition that nobody wrote it since it was read.
 */

/** Writes race by `rev`: who lost reads again, consistently. After so many lost races the call fails, and may be repeated. */
const maxAttempts = 12;

export interface Meeting<P> {
  /** `fields`: all definitions of the company. */
  create: (id: number, at: number, fields: readonly Field[]) => Contact | P;
  update: (contact: Contact, at: number) => Contact | P;
  /** Whether the plan's limit holds. */
  limited: boolean;
}

/** Finds the holder of an identity; `consistent` after a lost race. */
export type Finder = (consistent: boolean) => Promise<Contact | undefined>;

/** The contact of an identity after `meeting`: created, changed, restored, or found as it is to be. `held`: what a first look found. */
export async function meet<P extends Problem>(
  companyId: number,
  find: Finder,
  held: Contact | undefined,
  { create, update, limited }: Meeting<P>,
): Promise<{ contact: Contact; created: boolean } | P | Problem<'plan_limit_reached'>> {
  let room: Room | undefined;
  let isTaken = false;
  const roomFor = async (restores?: number): Promise<Room | Problem<'plan_limit_reached'>> => {
    if (room) return room;
    const taken = await oneRoom(companyId, limited, restores);
    if (!isProblem(taken)) room = taken;
    return taken;
  };
  const settle = async <T>(outcome: T): Promise<T> => {
    if (room?.promise !== undefined && !isTaken) await giveBack(companyId, room.promise, 1);
    return outcome;
  };
  for (let attempt = 1, seen = held; attempt <= maxAttempts; attempt++, await pause(attempt), seen = await find(true)) {
    if (seen === undefined) {
      const [place, fields] = await Promise.all([roomFor(), listFields(companyId)]);
      if (isProblem(place)) return place;
      const contact = create(place.firstId, now(), fields);
      if (!isContact(contact)) return settle(contact);
      const made = await createContact(promised(contact, place));
      if (made === 'done') {
        isTaken = true;
        return { contact, created: true };
      }
      continue;
    }
    const { id } = seen;
    const own = await withoutLost(seen, 'user');
    const at = now();
    const wanted = update(restored(own), at);
    if (!isContact(wanted)) return settle(wanted);
    const contact = changed(own, wanted, at);
    if (contact === undefined) return settle({ contact: seen, created: false });
    if (isLive(seen)) {
      const outcome = isFoundAsBefore(seen, contact) ? await updateContact(contact) : await moveContact(seen, contact);
      if (outcome === 'done') return settle({ contact, created: false });
      continue;
    }
    const place = limited ? await roomFor(id) : undefined;
    if (isProblem(place)) return place;
    if ((await moveContact(own, promised(contact, place))) === 'done') {
      isTaken = place !== undefined;
      return { contact, created: false };
    }
  }
  await settle(undefined);
  throw new Contended();
}

/** A live contact after `change`. `missing`: there is none; `taken`: its new phone is another contact's. */
export async function rewrite<P extends Problem>(
  companyId: number,
  id: number,
  found: Contact | undefined,
  change: (contact: Contact, at: number) => Contact | P,
): Promise<Contact | P | 'missing' | 'taken'> {
  for (
    let attempt = 1, seen = found;
    attempt <= maxAttempts;
    attempt++, await pause(attempt), seen = await findContact(companyId, id, true)
  ) {
    if (!isLive(seen)) return 'missing';
    const at = now();
    const wanted = change(seen, at);
    if (!isContact(wanted)) return wanted;
    const contact = changed(seen, wanted, at);
    if (contact === undefined) return seen;
    const outcome = isFoundAsBefore(seen, contact) ? await updateContact(contact) : await moveContact(seen, contact);
    if (outcome === 'done') return contact;
    if (outcome === 'taken') return 'taken';
  }
  throw new Contended();
}

/** An identity read a moment too early may still name the contact that had the phone before: then both are read consistently. */
export async function holderOf(companyId: number, phone: string, consistent: boolean): Promise<Contact | undefined> {
  const identity = await findIdentity(companyId, phone, consistent);
  const contact = identity && (await findContact(companyId, identity.contactId, consistent));
  const hasPhone = contact !== undefined && canonicalPhone(contact.phone) === canonicalPhone(phone);
  if (identity === undefined || hasPhone) return contact;
  return consistent ? undefined : holderOf(companyId, phone, true);
}

/**
 * A deleted contact, found by one of its names, without the other when a live contact has that by now: it cannot come back with it.
 * 1 RRU for a deleted contact that has both, else nothing.
 */
export async function withoutLost(contact: Contact, other: 'phone' | 'user'): Promise<Contact> {
  const { companyId, id, phone, userId, ...rest } = contact;
  if (contact.deletedAt === undefined || phone === '' || userId === undefined) return contact;
  const identity = await (other === 'phone' ? findIdentity(companyId, phone, true) : findUserIdentity(companyId, userId, true));
  const isLost = identity !== undefined && identity.contactId !== id && identity.expires === undefined;
  if (!isLost) return contact;
  return other === 'phone' ? { ...contact, phone: '' } : { ...rest, companyId, id, phone };
}

/** The plan's limit on contacts; null: none. 0.5 RRU. */
export const contactsLimit = async (companyId: number): Promise<number | null> =>
  (await getCompany(companyId))?.plan.limits.contacts ?? null;

async function oneRoom(companyId: number, limited: boolean, restores?: number): Promise<Room | Problem<'plan_limit_reached'>> {
  const limit = limited ? await contactsLimit(companyId) : null;
  const room = await takeRoom(companyId, 1, limit, ulid(now()), restores);
  return room.granted === 1 ? room : planRefusal('contacts', limit, room.used);
}

export const promised = (contact: Contact, room: Room | undefined): Contact =>
  room?.promise === undefined ? contact : { ...contact, promise: room.promise };

const isFoundAsBefore = (before: Contact, after: Contact): boolean =>
  after.phone === before.phone && after.userId === before.userId && isLive(before) === isLive(after);

const isContact = <P extends Problem>(value: Contact | P): value is Contact => 'rev' in value;

/** The stack answers it with 503 and Retry-After, a worker's queue with another delivery. */
export class Contended extends Error {
  override name = 'TransactionConflict';
}

export const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 10 * 2 ** attempt)));
