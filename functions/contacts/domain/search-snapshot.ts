import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';
import type { EligibilityFacts } from '../contract/eligibility.ts';
import type { StoredSearchSnapshot } from '../contract/search-snapshot.ts';
import type { SearchedContact } from '../contract/stored.ts';
import { type SearchColumns, searchColumns, type SearchTerms } from './search.ts';

/**
 * A search snapshot: phone and searchable name of every contact in parts of 65,536 ids, one line an id: first all phones, then
 * all names, then what decides who receives campaigns. A search finds bytes in it without looking at lines; what changed since it was made
 * comes from the table.
 */
export const partSize = 65_536;

export const snapshotPartOf = (id: number): number => Math.floor(id / partSize);

/** Companies with fewer ids are searched in their digests, which cost 5 RRU per 1,000 contacts. */
export const smallestSnapshot = 8_192;

/**
 * Whether the snapshot is brought up to date for a change: every 4,096th new contact, so that a company has its snapshot before it is searched,
 * and about every 2,048th change, as a campaign changes each of its recipients, and a search or a preview afterwards would read them all. Of
 * fewer changes, searches request it.
 */
export const requestsSnapshot = (before: Change | undefined, after: Change | undefined): boolean => {
  if (after === undefined || after.id < smallestSnapshot || after.updatedAt === before?.updatedAt) return false;
  return before === undefined ? after.id % newContactsPerUpdate === 0 : isEvery2048th(after);
};

type Change = Pick<SearchedContact, 'id' | 'updatedAt'>;
const newContactsPerUpdate = 4_096;

/** Times of a campaign's changes follow from the ids: only the upper bits of such a sum are spread evenly whatever the order and the speed. */
const isEvery2048th = ({ id, updatedAt }: Change): boolean => (Math.imul(id, 0x9e3779b1) + Math.imul(updatedAt, 0x85ebca6b)) >>> 21 === 0;

/** Contacts are stamped before they are written, and the index by last change follows each write: what is younger is read again. */
export const snapshotMarginMs = minuteMs;

/** Objects of the bucket go after 30 days, and so do rows of deleted contacts: a snapshot is begun anew before. */
const maxAgeMs = 20 * dayMs;

/** Whether a search may use it. A clock that was set back (on a laptop) makes changes older than the snapshot says. */
export const isUsableSnapshot = ({ startedAt, asOf }: StoredSearchSnapshot, at: number): boolean =>
  asOf > 0 && asOf <= at && startedAt > at - maxAgeMs;

/** The lines of a part, by the id's place in it. */
export interface PartLines {
  phones: string[];
  names: string[];
  /** Empty where no contact is. */
  facts: string[];
}

/** The lines of one contact. */
export interface SnapshotLine extends SearchColumns {
  facts: string;
}

/** A part in memory, as bytes. Where lines begin is found when the first match needs it. */
export interface SearchPart {
  phones: SearchColumn;
  names: SearchColumn;
  facts: SearchColumn;
  bytes: number;
}

interface SearchColumn {
  text: Buffer;
  starts: Uint32Array | undefined;
}

export const noLines = (): PartLines => ({ phones: [], names: [], facts: [] });

/** Undefined for a deleted contact. */
export const snapshotLine = (contact: SearchedContact | undefined): SnapshotLine | undefined => {
  const columns = searchColumns(contact);
  return contact && columns && { ...columns, facts: factsText(contact) };
};

export const withChange = (lines: PartLines, id: number, line: SnapshotLine | undefined): void => {
  const place = id % partSize;
  for (const column of ['phones', 'names', 'facts'] as const) while (lines[column].length < place) lines[column].push('');
  lines.phones[place] = line?.phone ?? '';
  lines.names[place] = line?.name ?? '';
  lines.facts[place] = line?.facts ?? '';
};

/** Loaded with its first use: 1 ms of the start of every function that only names a snapshot. */
const zlib = () => process.getBuiltinModule('node:zlib');

export const packLines = ({ phones, names, facts }: PartLines): Buffer =>
  zlib().zstdCompressSync([phones, names, facts].map((column) => column.join('\n')).join('\0'));

export const unpackPart = (packed: Buffer): SearchPart => {
  const text = zlib().zstdDecompressSync(packed);
  const [first, second] = [text.indexOf(0), text.lastIndexOf(0)];
  const column = (from: number, to: number): SearchColumn => ({ text: text.subarray(from, to), starts: undefined });
  return {
    phones: column(0, first),
    names: column(first + 1, second),
    facts: column(second + 1, text.length),
    bytes: text.length,
  };
};

export const linesOf = ({ phones, names, facts }: SearchPart): PartLines => ({
  phones: phones.text.toString().split('\n'),
  names: names.text.toString().split('\n'),
  facts: facts.text.toString().split('\n'),
});

/** Whether subscribed, whether blocked for marketing (`b`), by the company (`x`) or both (`y`), the source of consent, since when not on WhatsApp. */
const factsText = ({ subscribed, marketingBlocked, isBlocked, consent, notOnWhatsappAt }: EligibilityFacts): string =>
  `${subscribed ? 's' : 'u'}${isBlocked ? (marketingBlocked ? 'y' : 'x') : marketingBlocked ? 'b' : '-'}${consent?.source ?? ''} ${notOnWhatsappAt?.toString(36) ?? ''}`;

const factsOf = (text: string): EligibilityFacts => {
  const [flags = '', since = ''] = text.split(' ');
  return {
    subscribed: flags.startsWith('s'),
    marketingBlocked: flags[1] === 'b' || flags[1] === 'y',
    ...(flags[1] === 'x' || flags[1] === 'y' ? { isBlocked: true as const } : {}),
    ...(flags.length > 2 ? { consent: { source: flags.slice(2) } } : {}),
    ...(since === '' ? {} : { notOnWhatsappAt: Number.parseInt(since, 36) }),
  };
};

/** What of a live contact decides whether it is a recipient. */
export interface EligibleContact extends EligibilityFacts {
  id: number;
  phone: string;
}

/** The live contacts of a part, greatest id first. */
export const contactsInPart = (number: number, part: SearchPart): EligibleContact[] => {
  const { phones, facts } = linesOf(part);
  const known = new Map<string, EligibilityFacts>();
  const found: EligibleContact[] = [];
  for (let place = facts.length - 1; place >= 0; place--) {
    const text = facts[place] ?? '';
    if (text === '') continue;
    let decoded = known.get(text);
    if (decoded === undefined) known.set(text, (decoded = factsOf(text)));
    found.push({ id: number * partSize + place, phone: (phones[place] ?? '').split(',', 1)[0] ?? '', ...decoded });
  }
  return found;
};

/** Sets 1 in `matching` at the place of each id of the part that matches. */
export const findInPart = (part: SearchPart, { text, digits }: SearchTerms, matching: Uint8Array): void => {
  if (digits !== '') findInColumn(part.phones, digits, matching);
  if (text !== '') findInColumn(part.names, text, matching);
};

function findInColumn(column: SearchColumn, wanted: string, matching: Uint8Array): void {
  const { text } = column;
  const bytes = Buffer.from(wanted);
  let line = 0;
  for (let at = text.indexOf(bytes); at !== -1; ) {
    const starts = (column.starts ??= lineStarts(text));
    while ((starts[line + 1] ?? Infinity) <= at) line++;
    matching[line] = 1;
    at = text.indexOf(bytes, starts[line + 1] ?? text.length);
    if (starts[line + 1] === undefined) return;
  }
}

/** Where each line begins, and a last entry beyond the text. */
function lineStarts(text: Buffer): Uint32Array {
  const starts = new Uint32Array(partSize + 1);
  let line = 1;
  for (let at = 0; at < text.length; at++) if (text[at] === newline) starts[line++] = at + 1;
  starts[line] = text.length + 1;
  return starts.subarray(0, line + 1);
}

const newline = 10;

/**
 * Ids that match, greatest first: in the parts, but for contacts that changed since, which are matched by their present line.
 * `parts`: by number; undefined where no contact is.
 */
export const findIds = (
  parts: readonly (SearchPart | undefined)[],
  terms: SearchTerms,
  changes: ReadonlyMap<number, boolean>,
): number[] => {
  const byPart = Map.groupBy(changes, ([id]) => snapshotPartOf(id));
  const found: number[] = [];
  for (let number = Math.max(parts.length - 1, ...byPart.keys()); number >= 0; number--) {
    const matching = new Uint8Array(partSize);
    const part = parts[number];
    if (part !== undefined) findInPart(part, terms, matching);
    for (const [id, isMatch] of byPart.get(number) ?? []) matching[id % partSize] = Number(isMatch);
    for (let place = partSize - 1; place >= 0; place--) if (matching[place] === 1) found.push(number * partSize + place);
  }
  return found;
};
