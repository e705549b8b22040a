import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { BulkBody, BulkResult } from '../contract/bulk.ts';
import { changed, type Contact, isLive, merged, newContact, restored } from '../domain/contact.ts';
import { canonicalPhone, countryOfPhone, normalizeListed } from '../domain/phone.ts';
import { createContacts, findContacts, findIdentities, maxTogether, updateContact } from '../store/contact.ts';
import { findGroup } from '../store/group.ts';
import { giveBack, type Room, takeRoom } from '../store/room.ts';
import { findTag } from '../store/tag.ts';
import { contactsLimit, holderOf, meet, promised } from './meeting.ts';

/** One person of the list, after duplicates fell together. */
export interface Entry {
  phone: string;
  canonical: string;
  name: string | undefined;
}

export interface Assignment {
  groupId: number | undefined;
  tagId: number | undefined;
}

/**
 * POST /contacts/bulk-sync (A15). First the whole request is judged, then written; repeated after any failure it goes on where it stopped,
 * because every contact is met by its phone again. Units: new 5.2 WRU and 0.6 RRU, changed 3 WRU and 1 RRU, unchanged 0 WRU and 1 RRU.
 */
export const bulkSync = async (
  companyId: number,
  operationId: string,
  body: BulkBody,
): Promise<BulkResult | Problem<'validation_failed'>> => {
  const { entries, duplicates, errors } = collapsed(body);
  const assignment = { groupId: body.group_id ?? undefined, tagId: body.tag_id ?? undefined };
  const [foreign, known, limit] = await Promise.all([
    foreignReferences(companyId, assignment),
    knownContacts(companyId, entries),
    contactsLimit(companyId),
  ]);
  if (Object.keys({ ...errors, ...foreign }).length > 0) return problem('validation_failed', { errors: { ...errors, ...foreign } });
  const synced = await syncEntries(companyId, operationId, entries, known, assignment, limit);
  return {
    synced_count: synced.created + synced.updated,
    updated_count: synced.updated,
    created_count: synced.created,
    skipped_limit_count: synced.skipped.length,
    duplicate_count: duplicates,
    skipped: synced.skipped.map(({ phone }) => ({ phone, reason: 'plan_limit' as const })),
  };
};

interface Synced {
  created: number;
  updated: number;
  /** In list order. */
  skipped: Entry[];
}

/** Writes entries: known ones changed where they differ, new ones created as far as the plan allows, in the order of the list. */
async function syncEntries(
  companyId: number,
  operationId: string,
  entries: readonly Entry[],
  known: ReadonlyMap<string, Contact>,
  assignment: Assignment,
  limit: number | null,
): Promise<Synced> {
  const live = entries.filter(({ canonical }) => isLive(known.get(canonical)));
  const grows = entries.filter(({ canonical }) => !isLive(known.get(canonical)));
  const fresh = grows.filter(({ canonical }) => !known.has(canonical));
  const skipped = new Set<Entry>();
  let returned = 0;
  const grow = async (): Promise<number> => {
    // who was deleted comes back one by one; who is new together, up to the plan's limit
    const room = fresh.length > 0 ? await takeRoom(companyId, fresh.length, limit, operationId) : noRoom;
    const admitted = new Map(fresh.slice(0, room.granted).map((entry, place) => [entry, room.firstId + place] as const));
    const made = await createAll(companyId, room, admitted, assignment);
    for (const entry of fresh) if (!admitted.has(entry)) skipped.add(entry);
    await inLanes([...grows.filter((entry) => known.has(entry.canonical)), ...made.met], async (entry) => {
      const met = await meetEntry(companyId, entry, assignment);
      if (isProblem(met)) skipped.add(entry);
      else returned++;
    });
    return made.created;
  };
  const [created] = await Promise.all([
    grow(),
    inLanes(live, (entry) => updateKnown(companyId, entry, known.get(entry.canonical), assignment)),
  ]);
  return { created, updated: live.length + returned, skipped: entries.filter((entry) => skipped.has(entry)) };
}

/** Transactions of 50. Whose phone somebody took meanwhile is left out, and met afterwards. What room is not used goes back. */
async function createAll(
  companyId: number,
  room: Room,
  admitted: ReadonlyMap<Entry, number>,
  assignment: Assignment,
): Promise<{ created: number; met: Entry[] }> {
  const met: Entry[] = [];
  let created = 0;
  let uncertain = 0;
  const createSlice = async (slice: readonly (readonly [Entry, number])[]): Promise<void> => {
    let left = slice;
    while (left.length > 0) {
      const at = now();
      const contacts = left.map(([entry, id]) => promised(fromEntry(companyId, id, entry, assignment, at), room));
      const outcome = await createContacts(contacts).catch((error: unknown) => {
        uncertain += contacts.length;
        throw error;
      });
      if (outcome.done) {
        created += left.length;
        return;
      }
      const { taken } = outcome;
      met.push(...left.filter((_, place) => taken.has(place)).map(([entry]) => entry));
      left = left.filter((_, place) => !taken.has(place));
    }
  };
  try {
    await inLanes(slicesOf([...admitted], maxTogether), createSlice, transactionsAtOnce);
  } finally {
    const unused = admitted.size - created - uncertain;
    if (room.promise !== undefined && unused > 0) await giveBack(companyId, room.promise, unused);
  }
  return { created, met };
}

async function updateKnown(companyId: number, entry: Entry, seen: Contact | undefined, assignment: Assignment): Promise<void> {
  if (seen === undefined) return;
  const at = now();
  const contact = changed(seen, merged(seen, valuesOf(entry, assignment), at), at);
  if (contact === undefined || (await updateContact(contact)) === 'done') return;
  await meetEntry(companyId, entry, assignment);
}

async function meetEntry(companyId: number, entry: Entry, assignment: Assignment) {
  const find = (consistent: boolean): Promise<Contact | undefined> => holderOf(companyId, entry.phone, consistent);
  return meet<never>(companyId, find, await find(true), {
    create: (id, at) => fromEntry(companyId, id, entry, assignment, at),
    update: (contact, at) => merged(restored(contact), valuesOf(entry, assignment), at),
    limited: true,
  });
}

/** Contacts by the canonical form of their phone, deleted ones too. 1 RRU each, 0.5 for a phone that nobody has. */
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
  const known = new Map<string, Contact>();
  for (const [canonical, { contactId }] of identities) {
    const contact = byId.get(contactId);
    if (contact && canonicalPhone(contact.phone) === canonical) known.set(canonical, contact);
  }
  return known;
}

async function foreignReferences(companyId: number, { groupId, tagId }: Assignment): Promise<Record<string, string[]>> {
  const [group, tag] = await Promise.all([
    groupId === undefined ? undefined : findGroup(companyId, groupId),
    tagId === undefined ? undefined : findTag(companyId, tagId),
  ]);
  return {
    ...(groupId === undefined || group ? {} : { group_id: [`There is no group ${groupId}.`] }),
    ...(tagId === undefined || tag ? {} : { tag_id: [`There is no tag ${tagId}.`] }),
  };
}

/** Variants of one number are one person; the last name given wins, an empty one never erases. The place is the first one's. */
function collapsed(body: BulkBody): { entries: Entry[]; duplicates: number; errors: Record<string, string[]> } {
  const byPhone = new Map<string, Entry>();
  const errors: Record<string, string[]> = {};
  for (const [index, { phone: typed, name }] of body.contacts.entries()) {
    const phone = normalizeListed(typed, body.country_code ?? undefined);
    if (phone === undefined) {
      errors[`contacts.${index}.phone`] = ['Must be a phone number of 1 to 15 digits with its country code.'];
      continue;
    }
    const canonical = canonicalPhone(phone);
    const first = byPhone.get(canonical);
    byPhone.set(canonical, { phone: first?.phone ?? phone, canonical, name: name || first?.name });
  }
  return { entries: [...byPhone.values()], duplicates: body.contacts.length - byPhone.size - Object.keys(errors).length, errors };
}

function fromEntry(companyId: number, id: number, entry: Entry, assignment: Assignment, at: number): Contact {
  return newContact(companyId, id, valuesOf(entry, assignment), at);
}

function valuesOf({ phone, name }: Entry, { groupId, tagId }: Assignment) {
  return {
    phone,
    phoneCountry: countryOfPhone(phone),
    ...(name === undefined ? {} : { name }),
    ...(groupId === undefined ? {} : { groupIds: [groupId] }),
    ...(tagId === undefined ? {} : { tagIds: [tagId] }),
  };
}

const noRoom: Room = { firstId: 0, granted: 0, promise: undefined, used: 0 };
const transactionsAtOnce = 4;
const writesAtOnce = 32;

/** Works a list off, several at a time; the first failure ends it once all lanes have stopped. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<unknown>, lanes = writesAtOnce): Promise<void> {
  let next = 0;
  let failure: { error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    while (next < items.length && failure === undefined) {
      const item = items[next++];
      if (item === undefined) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  if (failure !== undefined) throw (failure as { error: unknown }).error;
}

function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, i * size + size));
}
