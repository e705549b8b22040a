import type { Lead, leadSources } from '../contract/stored-lead.ts';
import type { LeadPageRow } from '../contract/stored.ts';
import { maxStays } from './lead.ts';

/**
 * Packed pages of 64 leads with the facts for reports or the texts for search, a few dozen bytes a lead. A report over 50,000 leads reads
 * some hundred units instead of thousands; see docs/decisions/crm-reports.md.
 */
export const leadsPerPage = 64;
export const leadPageShards = 8;
export const leadPageOf = (leadId: number): number => Math.floor(leadId / leadsPerPage);

type Entries = Record<string, string>;

/** An item has 400 KB. Above this a page stores its longest entries cut. */
const maxPackedLength = 300_000;

/** Of a cut entry. 64 entries of this size that no deflation shortens make 256 KB in base64. */
const maxCutBytes = 3_000;

/** At the end of an entry that was cut. No fact and no text of a user has it. */
const cutSign = '\u0000';

/** The page with a lead's entry set, or without it where there is no entry; undefined when it does not change. */
export const setEntry = (
  row: LeadPageRow | undefined,
  id: Pick<LeadPageRow, 'companyId' | 'of' | 'page'>,
  leadId: number,
  entry: string | undefined,
): LeadPageRow | undefined => {
  const entries = row ? unpackEntries(row) : {};
  if (entries[leadId] === entry) return undefined;
  if (entry === undefined) delete entries[leadId];
  else entries[leadId] = entry;
  return { ...id, rev: row?.rev ?? 0, checkpoints: row?.checkpoints ?? {}, packed: packWithin(entries) };
};

function packWithin(entries: Entries): string {
  const packed = packEntries(entries);
  if (packed.length <= maxPackedLength) return packed;
  return packEntries(Object.fromEntries(Object.entries(entries).map(([id, entry]) => [id, cutEntry(entry)])));
}

const cutEntry = (entry: string): string => {
  const bytes = Buffer.from(entry);
  if (bytes.length <= maxCutBytes) return entry;
  // a character that the cut divides is left out
  return `${bytes
    .subarray(0, maxCutBytes)
    .toString('utf8')
    .replace(/\ufffd$/, '')}${cutSign}`;
};

/** Whether the page has only the beginning of the entry. */
export const isCut = (entry: string): boolean => entry.endsWith(cutSign);

/** The entries of a page, as far as another page of the same leads has them: which of them are cut depends on the order of changes. */
export const comparableEntries = (
  page: Pick<LeadPageRow, 'packed'>,
  other: Pick<LeadPageRow, 'packed'> | undefined,
): [string, string][] => {
  const others = other ? unpackEntries(other) : {};
  return Object.entries(unpackEntries(page)).map(([id, entry]) => {
    const known = others[id];
    const length = known !== undefined && isCut(known) ? known.length - 1 : entry.length;
    return [id, entry.slice(0, length)];
  });
};

export const unpackEntries = ({ packed: text }: Pick<LeadPageRow, 'packed'>): Entries =>
  JSON.parse(zlib().inflateRawSync(Buffer.from(text, 'base64')).toString('utf8')) as Entries;

export const packEntries = (entries: Entries): string =>
  zlib()
    .deflateRawSync(Buffer.from(JSON.stringify(entries)))
    .toString('base64');

/** Loaded with the first page: an import would load it in every cold start. */
const zlib = (): typeof import('node:zlib') => process.getBuiltinModule('node:zlib');

/** The facts of a lead for reports. Times are epoch seconds. */
export interface LeadFacts {
  id: number;
  createdAt: number;
  closedAt: number | undefined;
  outcome: 'open' | 'won' | 'lost';
  valueCents: number;
  pipelineId: number;
  ownerId: number;
  source: (typeof leadSources)[number];
  stageHistory: readonly (readonly [stageId: number, enteredAt: number])[];
}

export const toLeadFacts = (lead: Lead): LeadFacts => ({
  id: lead.id,
  createdAt: seconds(lead.createdAt),
  closedAt: lead.closedAt === undefined ? undefined : seconds(lead.closedAt),
  outcome: lead.outcome,
  valueCents: lead.valueCents ?? 0,
  pipelineId: lead.pipelineId,
  ownerId: lead.ownerId ?? 0,
  source: lead.source,
  stageHistory: lead.stageHistory.slice(-maxStays).map(([stageId, at]) => [stageId, seconds(at)]),
});

/** Numbers in base 36; the times of the stage history as distances from the one before. */
export const encodeFacts = (facts: LeadFacts): string => {
  let before = facts.createdAt;
  const stays = facts.stageHistory.map(([stageId, at]) => {
    const distance = at - before;
    before = at;
    return `${b36(stageId)}:${b36(distance)}`;
  });
  return [
    b36(facts.createdAt),
    facts.closedAt === undefined ? '' : b36(facts.closedAt),
    facts.outcome === 'open' ? '' : facts.outcome,
    b36(facts.valueCents),
    b36(facts.pipelineId),
    b36(facts.ownerId),
    facts.source,
    stays.join(';'),
  ].join(',');
};

export const decodeFacts = (id: number, entry: string): LeadFacts => {
  const [createdAt = '', closedAt = '', outcome = '', value = '', pipeline = '', owner = '', source = '', stays = ''] = entry.split(',');
  let before = number(createdAt);
  return {
    id,
    createdAt: before,
    closedAt: closedAt === '' ? undefined : number(closedAt),
    outcome: outcome === 'won' || outcome === 'lost' ? outcome : 'open',
    valueCents: number(value),
    pipelineId: number(pipeline),
    ownerId: number(owner),
    source: source as LeadFacts['source'],
    stageHistory: stays.split(';').map((stay) => {
      const [stageId = '', distance = ''] = stay.split(':');
      before += number(distance);
      return [number(stageId), before] as const;
    }),
  };
};

/** The text that search matches: title, requirement, the contact's name and phone. */
export const searchText = (lead: Pick<Lead, 'title' | 'requirement' | 'contactText'>): string =>
  normalizeText([lead.title, lead.requirement ?? '', lead.contactText].join('\n'));

/** Unicode NFC in lower case, so that search ignores case. */
export const normalizeText = (text: string): string => text.normalize('NFC').toLowerCase();

/** The terms of a search: the text, and its digits where it may be a formatted phone number. */
export const leadSearchTerms = (search: string): string[] => {
  const plain = normalizeText(search);
  const digits = /^[+0-9 ()./-]{4,}$/.test(search) ? search.replaceAll(/[^0-9]/g, '').replace(/^00/, '') : '';
  return [...new Set([plain, digits])].filter((needle) => needle !== '');
};

const seconds = (ms: number): number => Math.floor(ms / 1_000);
const b36 = (value: number): string => value.toString(36);
const number = (text: string): number => Number.parseInt(text || '0', 36);
