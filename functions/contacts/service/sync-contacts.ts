import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { planLimitProblem } from '../../account/service/plan.ts';
import type { Contact } from '../contract/stored.ts';
import { changed, type GivenValues, isLive, isReachedBy, merged, newContact } from '../domain/contact.ts';
import type { Field } from '../domain/field.ts';
import { digestSize } from '../domain/search.ts';
import {
  createContactsAndIdentities,
  getContactsByIds,
  getPhoneIdentities,
  maxContactsPerTransaction,
  updateStoredContact,
} from '../store/contact.ts';
import { listFieldDefinitions } from '../store/field.ts';
import { releaseQuota, type QuotaReservation, reserveQuota } from '../store/quota.ts';
import { unsubscribeAllErased } from './erased-identities.ts';
import { type FindByIdentity, getContactByPhone, getNewContactRules, upsertByIdentity, withReservation } from './upsert-by-identity.ts';

/**
 * Upserts many contacts by phone: updates known ones that differ, creates new ones in list order as far as the plan allows. Repeating the
 * same entries after a failure continues where the first attempt stopped. Units: new 5.2 WRU and 0.6 RRU, changed 3 WRU and 1 RRU,
 * unchanged 1 RRU.
 */
export interface SyncEntry {
  /** Canonical form of the phone in `values`; unique among the entries. */
  canonical: string;
  values: GivenValues;
}

/** The contact after the sync, or the reason why it was not written. */
export type SyncResult = { contact: Contact; created: boolean } | Problem<'plan_limit_reached' | 'validation_failed'>;

/** Validates a contact before the write. For a new one `before` is undefined and `fields` are all definitions. */
export type ValidateContact = (
  before: Contact | undefined,
  after: Contact,
  fields: readonly Field[],
) => Contact | Problem<'validation_failed'>;

/** `name`: identifies this work across attempts; the quota is reserved under it. */
export const syncContacts = async <E extends SyncEntry>(
  companyId: number,
  name: string,
  entries: readonly E[],
  validate: ValidateContact,
): Promise<ReadonlyMap<E, SyncResult>> => {
  const [known, { limit, subscribedIfNew }, fields] = await Promise.all([
    getKnownContacts(companyId, entries),
    getNewContactRules(companyId),
    listFieldDefinitions(companyId),
  ]);
  const results = new Map<E, SyncResult>();
  const create: Sync<E>['create'] = (id, values, at) => newContact(companyId, id, { subscribedIfNew, ...values }, at, fields);
  const sync: Sync<E> = { companyId, fields, create, validate, results };
  const fresh: E[] = [];
  for (const entry of entries.filter(({ canonical }) => !known.has(canonical))) {
    const contact = validate(undefined, create(1, entry.values, now()), fields);
    if (isProblem(contact)) results.set(entry, contact);
    else fresh.push(entry);
  }
  const grow = async (): Promise<void> => {
    const reservation = fresh.length > 0 ? await reserveQuota(companyId, fresh.length, limit, name) : noReservation;
    const taken = await createAll(sync, reservation, fresh.slice(0, reservation.granted));
    for (const entry of fresh.slice(reservation.granted)) results.set(entry, planLimitProblem('contacts', limit, reservation.used));
    // deleted contacts are restored one by one, and so are entries whose phone another call wrote meanwhile
    const others = entries.filter(({ canonical }) => known.has(canonical) && !isLive(known.get(canonical)));
    await inParallel([...others, ...taken], writesAtOnce, async (entry) => results.set(entry, await upsertEntry(sync, entry)));
  };
  const live = entries.filter(({ canonical }) => isLive(known.get(canonical)));
  await Promise.all([
    grow(),
    inParallel(live, writesAtOnce, async (entry) => results.set(entry, await updateKnown(sync, entry, known.get(entry.canonical)))),
  ]);
  return results;
};

interface Sync<E extends SyncEntry> {
  companyId: number;
  /** All definitions. */
  fields: readonly Field[];
  create: (id: number, values: GivenValues, at: number) => Contact;
  validate: ValidateContact;
  results: Map<E, SyncResult>;
}

/** Creates contacts in transactions; returns the entries whose phone another call wrote meanwhile. Releases unused quota. */
async function createAll<E extends SyncEntry>(
  { companyId, create, results: met }: Sync<E>,
  reservation: QuotaReservation,
  admitted: readonly E[],
): Promise<E[]> {
  const taken: E[] = [];
  let used = 0;
  try {
    await inParallel(slicesOf(reservation.firstId, admitted.length), transactionsAtOnce, async ([start, end]) => {
      const at = now();
      const fresh = admitted.slice(start, end).map((entry, place) => create(reservation.firstId + start + place, entry.values, at));
      let left = (await unsubscribeAllErased(companyId, fresh)).flatMap((contact, place) => {
        const entry = admitted[start + place];
        return entry ? [{ entry, contact: withReservation(contact, reservation) }] : [];
      });
      while (left.length > 0) {
        used += left.length;
        const outcome = await createContactsAndIdentities(left.map(({ contact }) => contact));
        if (outcome.done) break;
        used -= left.length;
        taken.push(...left.filter((_, place) => outcome.taken.has(place)).map(({ entry }) => entry));
        left = left.filter((_, place) => !outcome.taken.has(place));
      }
      for (const { entry, contact } of left) met.set(entry, { contact, created: true });
    });
  } finally {
    // a failed transaction may have been written: its reservation stays until a later call checks which of its contacts exist
    if (reservation.name !== undefined && admitted.length > used) await releaseQuota(companyId, reservation.name, admitted.length - used);
  }
  return taken;
}

/** Begin and end of each transaction, aligned with digest rows, so that batches of the change stream update few rows twice. */
function slicesOf(firstId: number, count: number): [number, number][] {
  const whole = maxContactsPerTransaction - (maxContactsPerTransaction % digestSize);
  const slices: [number, number][] = [];
  for (let start = 0, end = whole - (firstId % digestSize); start < count; start = end, end += whole) slices.push([start, end]);
  return slices;
}

async function updateKnown<E extends SyncEntry>(sync: Sync<E>, entry: E, seen: Contact | undefined): Promise<SyncResult> {
  if (seen === undefined) return upsertEntry(sync, entry);
  const at = now();
  const wanted = sync.validate(seen, merged(seen, entry.values, at), sync.fields);
  if (isProblem(wanted)) return wanted;
  const contact = changed(seen, wanted, at);
  if (contact === undefined) return { contact: seen, created: false };
  return (await updateStoredContact(contact)) === 'done' ? { contact, created: false } : upsertEntry(sync, entry);
}

async function upsertEntry<E extends SyncEntry>({ companyId, create, validate, fields }: Sync<E>, { values }: E): Promise<SyncResult> {
  const find: FindByIdentity = (options) => getContactByPhone(companyId, values.phone, options);
  return upsertByIdentity(companyId, find, await find({ consistent: true }), {
    phone: values.phone,
    create: (id, at) => validate(undefined, create(id, values, at), fields),
    update: (contact, at) => validate(contact, merged(contact, values, at), fields),
    isLimited: true,
  });
}

/** Contacts by canonical phone, deleted ones too. 1 RRU each, 0.5 for an unknown phone. */
async function getKnownContacts(companyId: number, entries: readonly SyncEntry[]): Promise<Map<string, Contact>> {
  const identities = await getPhoneIdentities(
    companyId,
    entries.map(({ canonical }) => canonical),
  );
  const contacts = await getContactsByIds(
    companyId,
    [...identities.values()].map(({ contactId }) => contactId),
  );
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  return new Map(
    [...identities].flatMap(([canonical, { contactId }]) => {
      const contact = byId.get(contactId);
      return contact && isReachedBy(contact, canonical) ? [[canonical, contact] as const] : [];
    }),
  );
}

const noReservation: QuotaReservation = { firstId: 0, granted: 0, name: undefined, used: 0 };
const transactionsAtOnce = 4;
const writesAtOnce = 32;
