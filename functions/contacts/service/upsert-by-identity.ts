import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { currentActor } from '../../../shared/runtime/actor.ts';
import { ulid } from '../../../shared/runtime/ids.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { Conflict, conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { getCompany } from '../../account/service/companies.ts';
import { planLimitProblem } from '../../account/service/plan.ts';
import type { Contact } from '../contract/stored.ts';
import { changed, isLive, isReachedBy, restored } from '../domain/contact.ts';
import type { Field } from '../domain/field.ts';
import {
  createContactAndIdentities,
  getContactById,
  getPhoneIdentity,
  getUserIdentity,
  type PhoneTime,
  updateContactAndIdentities,
  updateStoredContact,
} from '../store/contact.ts';
import { isErased, unsubscribed } from './erased-identities.ts';
import { followMerges } from './followed-contacts.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { releaseQuota, type QuotaReservation, reserveQuota } from '../store/quota.ts';

/**
 * Upsert by identity, safe under parallel calls: finds the contact, creates it if there is none, restores it if it was deleted, and writes
 * only if its revision is unchanged since it was read.
 */

/** A call that loses the race for a revision reads again consistently; after this many attempts it fails and may be repeated. */
const maxAttempts = 12;

export interface UpsertChanges<P> {
  /** Of the contact, should it be new. */
  phone: string;
  /** `fields`: all definitions of the company. `subscribedIfNew`: by the company's setting. */
  create: (id: number, at: number, fields: readonly Field[], subscribedIfNew: boolean) => Contact | P;
  update: (contact: Contact, at: number) => Contact | P;
  /** Whether the limit of the plan applies. */
  isLimited: boolean;
  /** The time of a message, epoch milliseconds: none is created whose phone was another live contact's then. */
  at?: number | undefined;
}

/** Finds the contact of an identity; `consistent` after a lost race. */
export type FindByIdentity = (options?: { consistent?: boolean }) => Promise<Contact | undefined>;

/** The contact of an identity after the upsert: created, updated, restored or unchanged. `firstRead`: the result of the first lookup. */
export async function upsertByIdentity<P extends Problem>(
  companyId: number,
  find: FindByIdentity,
  firstRead: Contact | undefined,
  { phone, create, update, isLimited, at: sentAt }: UpsertChanges<P>,
): Promise<UpsertResult | P | Problem<'plan_limit_reached'>> {
  const quota = new QuotaClaim(companyId, isLimited);
  const createNew = async (time: PhoneTime): Promise<UpsertResult | P | Problem<'plan_limit_reached'> | typeof conflict> => {
    const company = getNewContactRules(companyId);
    const [reservation, fields, wasErased, { subscribedIfNew }] = await Promise.all([
      quota.reserve(undefined, company),
      listFieldDefinitions(companyId),
      isErased(companyId, { phone }),
      company,
    ]);
    if (isProblem(reservation)) return reservation;
    const contact = create(reservation.firstId, now(), fields, subscribedIfNew);
    if (!isContact(contact)) return contact;
    const allowed = withEditor(wasErased ? unsubscribed(contact) : contact);
    if ((await createContactAndIdentities(withReservation(allowed, reservation), time)) !== 'done') return conflict;
    quota.isUsed = true;
    return { contact: allowed, created: true };
  };
  const updateOrRestore = async (seen: Contact): Promise<UpsertResult | P | Problem<'plan_limit_reached'> | typeof conflict> => {
    const restorable = await withoutLostIdentity(seen, 'user');
    const at = now();
    const wanted = update(restored(restorable), at);
    if (!isContact(wanted)) return wanted;
    const contact = nextOf(restorable, wanted, at);
    if (contact === undefined) return { contact: seen, created: false };
    if (isLive(seen)) return (await writeChange(seen, contact)) === 'done' ? { contact, created: false } : conflict;
    const reservation = isLimited ? await quota.reserve(restorable.id) : undefined;
    if (isProblem(reservation)) return reservation;
    if ((await updateContactAndIdentities(restorable, withReservation(contact, reservation))) !== 'done') return conflict;
    quota.isUsed = reservation !== undefined;
    return { contact, created: false };
  };
  let seen = firstRead;
  const result = await retryOnConflict(
    maxAttempts,
    async (attempt) => {
      if (attempt > 1) seen = await find({ consistent: true });
      if (seen !== undefined) return updateOrRestore(seen);
      return createNew({ at: sentAt, goneId: attempt > 1 ? await goneOwnerId(companyId, phone, sentAt) : undefined });
    },
    () => undefined,
  );
  if (!quota.isUsed) await quota.release();
  if (result === undefined) throw new Conflict(`A contact was not written in ${maxAttempts} attempts.`);
  return result;
}

export interface UpsertResult {
  contact: Contact;
  created: boolean;
}

/** The quota of one contact, reserved at most once over all attempts. A call that fails keeps it, because its write may have happened. */
class QuotaClaim {
  readonly #companyId: number;
  readonly #isLimited: boolean;
  #reservation: QuotaReservation | undefined;
  isUsed = false;

  constructor(companyId: number, isLimited: boolean) {
    this.#companyId = companyId;
    this.#isLimited = isLimited;
  }

  async reserve(
    restores?: number,
    rules?: ReturnType<typeof getNewContactRules>,
  ): Promise<QuotaReservation | Problem<'plan_limit_reached'>> {
    if (this.#reservation) return this.#reservation;
    const limit = this.#isLimited ? (await (rules ?? getNewContactRules(this.#companyId))).limit : null;
    const reservation = await reserveQuota(this.#companyId, 1, limit, ulid(now()), restores);
    if (reservation.granted !== 1) return planLimitProblem('contacts', limit, reservation.used);
    this.#reservation = reservation;
    return reservation;
  }

  async release(): Promise<void> {
    if (this.#reservation?.name !== undefined) await releaseQuota(this.#companyId, this.#reservation.name, 1);
  }
}

/** With the user whose session makes the call: colleagues see what a user changes; what programs change would fill the event log. */
function withEditor(contact: Contact): Contact {
  const { userId, credentialKind } = currentActor();
  return userId === undefined || credentialKind !== 'session' ? contact : { ...contact, editor: { rev: contact.rev, userId } };
}

/** `wanted` with the next revision and who made it; undefined when no value changed. */
function nextOf(seen: Contact, wanted: Contact, at: number): Contact | undefined {
  const next = changed(seen, wanted, at);
  return next && withEditor(next);
}

/** The live contact after `change`. `missing`: no such contact. `taken`: another contact has its new phone. */
export async function updateLiveContact<P extends Problem>(
  companyId: number,
  id: number,
  found: Contact | undefined,
  change: (contact: Contact, at: number) => Contact | P,
): Promise<Contact | P | 'missing' | 'taken'> {
  return retryOnConflict(maxAttempts, async (attempt) => {
    const seen = attempt > 1 ? await getContactById(companyId, id, { consistent: true }) : found;
    if (!isLive(seen)) return 'missing';
    const at = now();
    const wanted = change(seen, at);
    if (!isContact(wanted)) return wanted;
    const contact = nextOf(seen, wanted, at);
    if (contact === undefined) return seen;
    const outcome = await writeChange(seen, contact);
    return outcome === 'done' ? contact : outcome === 'taken' ? 'taken' : conflict;
  });
}

/** The contact whose phone it was at the time `at`, epoch milliseconds, where that is deleted since: the phone is free. 1 RRU, of a former phone 2. */
export async function goneOwnerId(companyId: number, phone: string, at: number | undefined): Promise<number | undefined> {
  const identity = at === undefined ? undefined : await getPhoneIdentity(companyId, phone, { consistent: true, at });
  if (identity?.until === undefined) return undefined;
  return isLive(await followMerges(companyId, identity.contactId, { consistent: true })) ? undefined : identity.contactId;
}

/**
 * The contact of a phone; of the one that it was at the time `at`, if that is live. A stale identity may point to the former contact of the
 * phone; then both are read again consistently.
 */
export async function getContactByPhone(
  companyId: number,
  phone: string,
  { consistent = false, at }: { consistent?: boolean; at?: number | undefined } = {},
): Promise<Contact | undefined> {
  const identity = await getPhoneIdentity(companyId, phone, { consistent, at });
  if (identity?.until !== undefined) {
    const former = await followMerges(companyId, identity.contactId, { consistent });
    return isLive(former) ? former : undefined;
  }
  const contact = identity && (await getContactById(companyId, identity.contactId, { consistent }));
  const hasPhone = contact !== undefined && isReachedBy(contact, phone);
  if (identity === undefined || hasPhone) return contact;
  return consistent ? undefined : getContactByPhone(companyId, phone, { consistent: true, at });
}

/**
 * A deleted contact to restore, without its other identity if a live contact has that now. 1 RRU for a deleted contact with both identities,
 * else nothing.
 */
export async function withoutLostIdentity(contact: Contact, other: 'phone' | 'user'): Promise<Contact> {
  const { companyId, id, phone, userId, ...rest } = contact;
  if (contact.deletedAt === undefined || phone === '' || userId === undefined) return contact;
  const identity = await (other === 'phone'
    ? getPhoneIdentity(companyId, phone, { consistent: true })
    : getUserIdentity(companyId, userId, { consistent: true }));
  const isLost = identity !== undefined && identity.contactId !== id && identity.expires === undefined;
  if (!isLost) return contact;
  return other === 'phone' ? { ...contact, phone: '' } : { ...rest, companyId, id, phone };
}

/** Of new contacts: the plan's limit (null: none), and whether they are subscribed where nothing says so. 0.5 RRU. */
export const getNewContactRules = async (companyId: number): Promise<{ limit: number | null; subscribedIfNew: boolean }> => {
  const company = await getCompany(companyId);
  return { limit: company?.plan.limits.contacts ?? null, subscribedIfNew: company?.settings.subscribedByDefault ?? true };
};

export const withReservation = (contact: Contact, reservation: QuotaReservation | undefined): Contact =>
  reservation?.name === undefined ? contact : { ...contact, reservation: reservation.name };

/** Writes a contact, with its identities where they change. */
export const writeChange = (before: Contact, after: Contact): Promise<'done' | 'changed' | 'taken'> =>
  hasSameIdentities(before, after) ? updateStoredContact(after) : updateContactAndIdentities(before, after);

const hasSameIdentities = (before: Contact, after: Contact): boolean =>
  after.phone === before.phone &&
  after.userId === before.userId &&
  isLive(before) === isLive(after) &&
  before.isBlocked === after.isBlocked &&
  String(after.aliases) === String(before.aliases);

const isContact = <P extends Problem>(value: Contact | P): value is Contact => 'rev' in value;
