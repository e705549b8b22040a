import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';
import type { StoredSearchSnapshot } from '../contract/search-snapshot.ts';
import type { SearchColumns, SearchTerms } from './search.ts';

/**
 * A search snapshot: phone and searchable name of every contact in parts of 65,536 ids, one line an id, phones before names. A search finds
 * bytes in it without looking at lines; what changed since it was made comes from the table.
 */
export const partSize = 65_536;

export const partOf = (id: number): number => Math.floor(id / partSize);

/** Companies with fewer ids are searched in their digests, which cost 5 RRU per 1,000 contacts. */
export const smallestSnapshot = 8_192;

/** Contacts are stamped before they are written, and the index by last change follows each write: what is younger is read again. */
export const snapshotMarginMs = minuteMs;

/** Objects of the bucket go after 30 days, and so do rows of deleted contacts: a snapshot is begun anew before. */
const maxAgeMs = 20 * dayMs;

/** Whether a search may use it. A clock that was set back (on a laptop) makes changes older than the snapshot says. */
export const isUsable = ({ startedAt, asOf }: StoredSearchSnapshot, at: number): boolean =>
  asOf > 0 && asOf <= at && startedAt > at - maxAgeMs;

/** The lines of a part, by the id's place in it. */
export interface PartLines {
  phones: string[];
  names: string[];
}

/** A part in memory, as bytes. Where lines begin is found when the first match needs it. */
export interface SearchPart {
  phones: SearchColumn;
  names: SearchColumn;
  bytes: number;
}

interface SearchColumn {
  text: Buffer;
  starts: Uint32Array | undefined;
}

export const noLines = (): PartLines => ({ phones: [], names: [] });

export const withChange = (lines: PartLines, id: number, columns: SearchColumns | undefined): void => {
  const place = id % partSize;
  for (const column of ['phones', 'names'] as const) while (lines[column].length < place) lines[column].push('');
  lines.phones[place] = columns?.phone ?? '';
  lines.names[place] = columns?.name ?? '';
};

export const packLines = ({ phones, names }: PartLines): Buffer => zstdCompressSync(`${phones.join('\n')}\0${names.join('\n')}`);

export const unpackPart = (packed: Buffer): SearchPart => {
  const text = zstdDecompressSync(packed);
  const end = text.indexOf(0);
  return {
    phones: { text: text.subarray(0, end), starts: undefined },
    names: { text: text.subarray(end + 1), starts: undefined },
    bytes: text.length,
  };
};

export const linesOf = ({ phones, names }: SearchPart): PartLines => ({
  phones: phones.text.toString().split('\n'),
  names: names.text.toString().split('\n'),
});

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
  const byPart = Map.groupBy(changes, ([id]) => partOf(id));
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
