import { getLastInboundTimes } from '../../conversations/service/conversations.ts';
import type { Contact } from '../domain/contact.ts';
import { type Filter, matchesFilter } from '../domain/filter.ts';
import type { LabelNames } from '../domain/contact.ts';

/**
 * Filters that no index serves, judged on contacts read in full. One call looks through so much and no more (about 1,000 RRU); the place
 * where it stopped is in the cursor, and the next call goes on there.
 */
export const maxScanned = 20_000;

/** A conversation's head costs 0.5 RRU, as ten contacts in blocks do. */
const summaryWeight = 4;

/** Read at a time: a page is mostly found in the first few. */
export const contactsPerRead = 1_000;

export interface ScanQuery {
  companyId: number;
  rules: Filter | undefined;
  names: LabelNames;
  /** Epoch milliseconds. */
  at: number;
  /** How much a call looks at. */
  atMost: number;
}

/** Those that fulfil the rules. Heads of conversations are read only for whom nothing else decides. */
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

/** The next stretch of a list. */
export interface ScanChunk {
  contacts: readonly Contact[];
  /** How many places of the list were read, deleted contacts too. */
  read: number;
  last: ScanPosition;
  /** Nothing comes behind it. */
  isEnd: boolean;
}

export interface ScanPosition {
  id: number;
  /** Last change, in lists of that order. */
  at?: number;
}

export interface ScanResult {
  /** At most as many as wanted. */
  contacts: Contact[];
  /** Where it stopped; undefined when all there is was looked through. */
  stoppedAt: ScanPosition | undefined;
}

/** Looks through a list until as many as wanted are found, its end is reached, or enough was looked at. */
export const scanContacts = async (question: ScanQuery, chunks: AsyncIterable<ScanChunk>, wanted: number): Promise<ScanResult> => {
  const found: Contact[] = [];
  let weight = 0;
  for await (const { contacts, read, last, isEnd } of chunks) {
    const { matching, summaries: heads } = await filterContacts(question, contacts);
    found.push(...matching);
    const end = found[wanted - 1];
    if (end) return { contacts: found.slice(0, wanted), stoppedAt: { id: end.id, at: end.updatedAt } };
    weight += read + summaryWeight * heads;
    if (weight >= question.atMost && !isEnd) return { contacts: found, stoppedAt: last };
  }
  return { contacts: found, stoppedAt: undefined };
};
