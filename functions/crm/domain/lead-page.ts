import type { LeadPageRow, leadSources } from '../contract/stored.ts';
import type { Lead } from './lead.ts';

/**
 * Packed blocks of 64 enquiries: what a report or a search must know of every one, in a few dozen bytes each. A report over all of
 * 50,000 enquiries reads some hundred units, not thousands.
 */
export const leadsPerPage = 64;
export const leadPageShards = 8;
export const leadPageOf = (leadId: number): number => Math.floor(leadId / leadsPerPage);

type Entries = Record<string, string>;

/** The block with an enquiry's entry set; undefined when it is so already. */
export const setEntry = (
  row: LeadPageRow | undefined,
  id: Pick<LeadPageRow, 'companyId' | 'of' | 'block'>,
  leadId: number,
  entry: string,
): LeadPageRow | undefined => {
  const entries = row ? unpackEntries(row) : {};
  if (entries[leadId] === entry) return undefined;
  return { ...id, rev: row?.rev ?? 0, checkpoints: row?.checkpoints ?? {}, packed: packEntries({ ...entries, [leadId]: entry }) };
};

export const unpackEntries = ({ packed: text }: Pick<LeadPageRow, 'packed'>): Entries =>
  JSON.parse(zlib().inflateRawSync(Buffer.from(text, 'base64')).toString('utf8')) as Entries;

export const packEntries = (entries: Entries): string =>
  zlib()
    .deflateRawSync(Buffer.from(JSON.stringify(entries)))
    .toString('base64');

/** Loaded with the first block: an import would load it with every start. */
const zlib = (): typeof import('node:zlib') => process.getBuiltinModule('node:zlib');

/** What a report knows of an enquiry. Times are epoch seconds. */
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
  stageHistory: lead.stageHistory.map(([stageId, at]) => [stageId, seconds(at)]),
});

/** Numbers in base 36; stays as distances from the one before. */
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

/** What the search looks through: title, requirement, the contact's name and phone. */
export const searchText = (lead: Pick<Lead, 'title' | 'requirement' | 'contactText'>): string =>
  normalizeText([lead.title, lead.requirement ?? '', lead.contactText].join('\n'));

/** One form for letters that differ in case alone. */
export const normalizeText = (text: string): string => text.normalize('NFC').toLowerCase();

/** What a search asks for: as it is, and as digits where it may be a phone written with signs and blanks. */
export const searchTerms = (search: string): string[] => {
  const plain = normalizeText(search);
  const digits = /^[+0-9 ()./-]{4,}$/.test(search) ? search.replaceAll(/[^0-9]/g, '').replace(/^00/, '') : '';
  return [...new Set([plain, digits])].filter((needle) => needle !== '');
};

const seconds = (ms: number): number => Math.floor(ms / 1_000);
const b36 = (value: number): string => value.toString(36);
const number = (text: string): number => Number.parseInt(text || '0', 36);
