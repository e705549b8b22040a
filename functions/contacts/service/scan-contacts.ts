import { getLastInboundTimes } from '../../service-window/service.ts';
import type { Contact } from '../contract/stored.ts';
import type { Filter } from '../contract/filter.ts';
import { matchesFilter } from '../domain/filter.ts';
import type { LabelNames } from '../domain/contact.ts';
import { listLabels } from '../store/label.ts';

/**
 * Filters without an index: contacts are read in full and evaluated. One call scans at most this many (about 1,000 RRU); its cursor has the
 * position at which the next call continues.
 */
export const maxScanned = 20_000;

/** What reading a conversation summary (0.5 RRU) counts against the scan limit, in contacts. */
const summaryWeight = 4;

/** Contacts read at a time; mostly the first reads find a whole page. */
export const contactsPerRead = 1_000;

export interface ScanQuery {
  companyId: number;
  rules: Filter | undefined;
  names: LabelNames;
  /** Epoch milliseconds. */
  at: number;
  /** How many contacts a call scans. */
  atMost: number;
}

/** The contacts that match the rules. Reads conversation summaries only for contacts that no other rule decides. */
export const filterContacts = async (
  { companyId, rules, names, at }: Omit<ScanQuery, 'atMost'>,
  contacts: readonly Contact[],
): Promise<{ matching: Contact[]; summaries: number }> => {
  if (rules === undefined) return { matching: [...contacts], summaries: 0 };
  const verdicts = new Map(contacts.map((contact) => [contact, matchesFilter(contact, rules, { names, at, lastInboundAt: undefined })]));
  const open = contacts.filter((contact) => verdicts.get(contact) === undefined);
  const lastInboundAt = await getLastInboundTimes(
    companyId,
    open.map(({ id }) => id),
  );
  for (const contact of open) verdicts.set(contact, matchesFilter(contact, rules, { names, at, lastInboundAt }));
  return { matching: contacts.filter((contact) => verdicts.get(contact) === true), summaries: open.length };
};

/** The groups and tags that there are, by id. 0.5 RRU per 25 of both. */
export const listLabelNames = async (companyId: number): Promise<LabelNames> => {
  const { groups, tags } = await listLabels(companyId);
  return { groups: new Map(groups.map((group) => [group.id, group])), tags: new Map(tags.map((tag) => [tag.id, tag])) };
};

/** The next part of a list. */
export interface ScanChunk {
  contacts: readonly Contact[];
  /** How many positions of the list were read, deleted contacts included. */
  read: number;
  last: ScanPosition;
  /** Whether the list ends here. */
  isEnd: boolean;
}

export interface ScanPosition {
  id: number;
  /** Last change, in lists by change. */
  at?: number;
}

export interface ScanResult {
  /** At most the wanted number. */
  contacts: Contact[];
  /** Position at which the scan stopped; undefined at the end of the list. */
  stoppedAt: ScanPosition | undefined;
}

/** Scans a list until the wanted number of matches, the end of the list or the scan limit is reached. */
export const scanContacts = async (question: ScanQuery, chunks: AsyncIterable<ScanChunk>, wanted: number): Promise<ScanResult> => {
  const found: Contact[] = [];
  let weight = 0;
  for await (const { contacts, read, last, isEnd } of chunks) {
    const { matching, summaries } = await filterContacts(question, contacts);
    found.push(...matching);
    const end = found[wanted - 1];
    if (end) return { contacts: found.slice(0, wanted), stoppedAt: { id: end.id, at: end.updatedAt } };
    weight += read + summaryWeight * summaries;
    if (weight >= question.atMost && !isEnd) return { contacts: found, stoppedAt: last };
  }
  return { contacts: found, stoppedAt: undefined };
};
