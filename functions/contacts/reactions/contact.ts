import { type Consequence, message, project, reaction, reactionList } from '../../../shared/events/react.ts';
import {
  contactCounterTarget,
  countsTarget,
  digestTarget,
  groupTarget,
  membersTarget,
  type QuotaReservations,
} from '../contract/projections.ts';
import { importsQueue } from '../contract/import.ts';
import { contactEntityName, contactKind } from '../contract/stored.ts';
import type { Contact } from '../contract/stored.ts';
import { isLive } from '../domain/contact.ts';
import { chunkOf, chunksPerRow, withChunkCount } from '../domain/counts.ts';
import { memberSpanOf, withBit } from '../domain/members.ts';
import { digestLine, digestOf, withLine } from '../domain/search.ts';
import { requestsSnapshot, snapshotMarginMs } from '../domain/search-snapshot.ts';

/**
 * Projections of a contact: the company's total and the counts per 1,024 ids (created or restored +1, deleted -1, purged 0), the digest for
 * search, and the members and counts of its groups and tags.
 */
export const contactReactions = reactionList({ sendsTo: [importsQueue] }, [
  reaction<Contact>(contactKind, ({ before, after }) => {
    const contact = after ?? before;
    if (contact === undefined) return [];
    return [
      ...countChanges(contact, before, after),
      ...digestChanges(contact, before, after),
      ...memberChanges(contact, before, after),
      ...searchSnapshotUpdates(contact, before, after),
    ];
  }),
]);

function countChanges({ companyId, id }: Contact, before: Contact | undefined, after: Contact | undefined): Consequence[] {
  const by = Number(isLive(after)) - Number(isLive(before));
  if (by === 0) return [];
  const chunk = chunkOf(id);
  const row = Math.floor(chunk / chunksPerRow);
  const reservation = by > 0 ? after?.reservation : undefined;
  return [
    project(contactCounterTarget, { companyId, of: contactEntityName }, (counter) => ({
      ...(counter ?? { companyId, of: contactEntityName, lastId: 0, total: 0 }),
      total: (counter?.total ?? 0) + by,
      ...(reservation === undefined || counter?.promises === undefined ? {} : { promises: withoutOne(counter.promises, reservation) }),
    })),
    project(countsTarget, { companyId, row }, (seen) => ({
      ...(seen ?? { companyId, row }),
      counts: withChunkCount(seen?.counts ?? [], chunk, by),
    })),
  ];
}

/** The reservations after one contact of the named one was counted; undefined when none is left. */
function withoutOne(promises: QuotaReservations, name: string): QuotaReservations | undefined {
  const open = Object.entries(promises)
    .map(([each, promise]) => [each, each === name ? { ...promise, left: promise.left - 1 } : promise] as const)
    .filter(([, { left }]) => left > 0);
  return open.length > 0 ? Object.fromEntries(open) : undefined;
}

function digestChanges({ companyId, id }: Contact, before: Contact | undefined, after: Contact | undefined): Consequence[] {
  const line = digestLine(after);
  if (line === digestLine(before)) return [];
  const digest = digestOf(id);
  return [
    project(digestTarget, { companyId, digest }, (row) => ({
      ...(row ?? { c: companyId, d: digest }),
      lines: withLine(row?.lines ?? '', id, line),
    })),
  ];
}

function searchSnapshotUpdates({ companyId }: Contact, before: Contact | undefined, after: Contact | undefined): Consequence[] {
  return requestsSnapshot(before, after) ? [message(importsQueue, companyId, { company_id: companyId }, coveredAfterSeconds)] : [];
}

/** An update contains the change that caused it. */
const coveredAfterSeconds = Math.ceil(snapshotMarginMs / 1_000) + 5;

function memberChanges({ companyId, id }: Contact, before: Contact | undefined, after: Contact | undefined): Consequence[] {
  const span = memberSpanOf(id);
  return (['group', 'tag'] as const).flatMap((of) => {
    const [was, is] = [before, after].map((each) => new Set(isLive(each) ? (of === 'group' ? each.groupIds : each.tagIds) : []));
    const changes = [...new Set([...(was ?? []), ...(is ?? [])])].filter((ofId) => was?.has(ofId) !== is?.has(ofId));
    return changes.flatMap((ofId): Consequence[] => {
      const on = is?.has(ofId) === true;
      const member = project(membersTarget, { companyId, of, ofId, span }, (row) => ({
        ...(row ?? { companyId, of, ofId, span }),
        bits: withBit(row?.bits ?? new Uint8Array(), id, on),
      }));
      const count = project(
        groupTarget,
        { companyId, id: ofId },
        (group) => group && { ...group, contactsCount: group.contactsCount + (on ? 1 : -1) },
      );
      return of === 'group' ? [member, count] : [member];
    });
  });
}
