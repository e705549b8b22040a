import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { planRefusal } from '../../account/service/plan.ts';
import { changed, type Contact, type GivenValues, isLive, merged, newContact, restored } from '../domain/contact.ts';
import { canonicalPhone } from '../domain/phone.ts';
import { createContacts, findContacts, findIdentities, maxTogether, updateContact } from '../store/contact.ts';
import { giveBack, type Room, takeRoom } from '../store/room.ts';
import { contactsLimit, holderOf, meet, promised } from './meeting.ts';

/**
 * Many contacts at once, each with values of its own, met by their phones: the same entries again, after whatever failure, go on where the
 * first try stopped. Units: new 5.2 WRU and 0.5 RRU, changed 3 WRU and 1 RRU, unchanged 0 WRU and 1 RRU.
 */
export interface Entry {
  /** Of the phone in `values`; no two entries have the same. */
  canonical: string;
  values: GivenValues;
}

/** The contact as it stands now, or why it could not be written. */
export type Met = { contact: Contact } | Problem<'plan_limit_reached' | 'validation_failed'>;

/** Says of a contact that is to be written whether it may be. */
export type Judge = (contact: Contact) => Contact | Problem<'validation_failed'>;

/** `name`: of this very work, the same when it is tried again; the room of the plan is promised under it. */
export const syncContacts = async <E extends Entry>(
  companyId: number,
  name: string,
  entries: readonly E[],
  judge: Judge,
): Promise<ReadonlyMap<E, Met>> => {
  const [known, limit] = await Promise.all([knownContacts(companyId, entries), contactsLimit(companyId)]);
  const met = new Map<E, Met>();
  await inLanes(
    entries.filter(({ canonical }) => isLive(known.get(canonical))),
    async (entry) => met.set(entry, await updateKnown(companyId, entry, known.get(entry.canonical), judge)),
  );
  const fresh: E[] = [];
  for (const entry of entries.filter(({ canonical }) => !known.has(canonical))) {
    const judged = judge(newContact(companyId, 1, entry.values, now()));
    if (isProblem(judged)) met.set(entry, judged);
    else fresh.push(entry);
  }
  const room = fresh.length > 0 ? await takeRoom(companyId, fresh.length, limit, name) : noRoom;
  const taken = await createAll(companyId, room, fresh.slice(0, room.granted), met);
  for (const entry of fresh.slice(room.granted)) met.set(entry, planRefusal('contacts', limit, room.used));
  // who was deleted comes back one by one, and so does whose phone somebody took at the same moment
  const others = entries.filter(({ canonical }) => known.has(canonical) && !isLive(known.get(canonical)));
  await inLanes([...others, ...taken], async (entry) => met.set(entry, await meetEntry(companyId, entry, judge)));
  return met;
};

/** In transactions of many; answers whose phone somebody took meanwhile. What room is not used goes back. */
async function createAll<E extends Entry>(companyId: number, room: Room, admitted: readonly E[], met: Map<E, Met>): Promise<E[]> {
  const taken: E[] = [];
  let used = 0;
  const slices = Array.from({ length: Math.ceil(admitted.length / maxTogether) }, (_, i) => i * maxTogether);
  try {
    await inLanes(
      slices,
      async (start) => {
        const at = now();
        let left = admitted.slice(start, start + maxTogether).map((entry, place) => {
          const contact = newContact(companyId, room.firstId + start + place, entry.values, at);
          return { entry, contact: promised(contact, room) };
        });
        while (left.length > 0) {
          used += left.length;
          const outcome = await createContacts(left.map(({ contact }) => contact));
          if (outcome.done) break;
          used -= left.length;
          taken.push(...left.filter((_, place) => outcome.taken.has(place)).map(({ entry }) => entry));
          left = left.filter((_, place) => !outcome.taken.has(place));
        }
        for (const { entry, contact } of left) met.set(entry, { contact });
      },
      transactionsAtOnce,
    );
  } finally {
    // a failed transaction may have been written: its room is kept, and settled by looking which of its contacts exist
    if (room.promise !== undefined && admitted.length > used) await giveBack(companyId, room.promise, admitted.length - used);
  }
  return taken;
}

async function updateKnown(companyId: number, entry: Entry, seen: Contact | undefined, judge: Judge): Promise<Met> {
  if (seen === undefined) return meetEntry(companyId, entry, judge);
  const at = now();
  const wanted = judge(merged(seen, entry.values, at));
  if (isProblem(wanted)) return wanted;
  const contact = changed(seen, wanted, at);
  if (contact === undefined) return { contact: seen };
  return (await updateContact(contact)) === 'done' ? { contact } : meetEntry(companyId, entry, judge);
}

async function meetEntry(companyId: number, { values }: Entry, judge: Judge): Promise<Met> {
  const find = (consistent: boolean): Promise<Contact | undefined> => holderOf(companyId, values.phone, consistent);
  return meet(companyId, find, await find(true), {
    create: (id, at) => judge(newContact(companyId, id, values, at)),
    update: (contact, at) => judge(merged(restored(contact), values, at)),
    limited: true,
  });
}

/** Contacts by the canonical form of their phone, deleted ones too. */
async function knownContacts(companyId: number, entries: readonly Entry[]): Promise<Map<string, Contact>> {
  const identities = await findIdentities(
    companyId,
    entries.map(({ canonical }) => canonical),
  );
  const contacts = await findContacts(
    companyId,
    [...identities.values()].map(({ contactId }) => contactId),
  );
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  return new Map(
    [...identities].flatMap(([canonical, { contactId }]) => {
      const contact = byId.get(contactId);
      return contact && canonicalPhone(contact.phone) === canonical ? [[canonical, contact] as const] : [];
    }),
  );
}

const noRoom: Room = { firstId: 0, granted: 0, promise: undefined, used: 0 };
const transactionsAtOnce = 4;
const writesAtOnce = 24;

/** Several at a time; a failure is thrown once every lane has stopped, so that nothing goes on behind it. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<unknown>, lanes = writesAtOnce): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const item of waiting) {
      if (failures.length > 0) return;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
}
