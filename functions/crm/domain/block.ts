import type { BlockRow, leadSources } from '../contract/stored.ts';
import type { Lead } from './lead.ts';

/**
 * Packed blocks of 64 enquiries: what a report or a search must know of every one, in a few dozen bytes each. A report over all of
 * 50,000 enquiries reads some hundred units, not thousands.
 */
export const blockSize = 64;
export const blockShards = 8;
export const blockOf = (leadId: number): number => Math.floor(leadId / blockSize);

type Entries = Record<string, string>;

/** The block with an enquiry's entry set; undefined when it is so already. */
export const withEntry = (
  row: BlockRow | undefined,
  id: Pick<BlockRow, 'companyId' | 'of' | 'block'>,
  leadId: number,
  entry: string,
): BlockRow | undefined => {
  const entries = row ? unpacked(row) : {};
  if (entries[leadId] === entry) return undefined;
  return { ...id, rev: row?.rev ?? 0, checkpoints: row?.checkpoints ?? {}, packed: packed({ ...entries, [leadId]: entry }) };
};

export const unpacked = ({ packed: text }: Pick<BlockRow, 'packed'>): Entries =>
  JSON.parse(zlib().inflateRawSync(Buffer.from(text, 'base64')).toString('utf8')) as Entries;

export const packed = (entries: Entries): string =>
  zlib()
    .deflateRawSync(Buffer.from(JSON.stringify(entries)))
    .toString('base64');

/** Loaded with the first block: an import would load it with every start. */
const zlib = (): typeof import('node:zlib') => process.getBuiltinModule('node:zlib');

/** What a report knows of an enquiry. Times are epoch seconds. */
export interface Facts {
  id: number;
  createdAt: number;
  closedAt: number | undefined;
  outcome: 'open' | 'won' | 'lost';
  valueCents: number;
  pipelineId: number;
  ownerId: number;
  source: (typeof leadSources)[number];
  stays: readonly (readonly [stageId: number, enteredAt: number])[];
}

export const factsOf = (lead: Lead): Facts => ({
  id: lead.id,
  createdAt: seconds(lead.createdAt),
  closedAt: lead.closedAt === undefined ? undefined : seconds(lead.closedAt),
  outcome: lead.outcome,
  valueCents: lead.valueCents ?? 0,
  pipelineId: lead.pipelineId,
  ownerId: lead.ownerId ?? 0,
  source: lead.source,
  stays: lead.stays.map(([stageId, at]) => [stageId, seconds(at)]),
});

/** Numbers in base 36; stays as distances from the one before. */
export const factsEntry = (facts: Facts): string => {
  let before = facts.createdAt;
  const stays = facts.stays.map(([stageId, at]) => {
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

export const readFacts = (id: number, entry: string): Facts => {
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
    source: source as Facts['source'],
    stays: stays.split(';').map((stay) => {
      const [stageId = '', distance = ''] = stay.split(':');
      before += number(distance);
      return [number(stageId), before] as const;
    }),
  };
};

/** What the search looks through: title, requirement, the contact's name and phone. */
export const searchText = (lead: Pick<Lead, 'title' | 'requirement' | 'contactText'>): string =>
  folded([lead.title, lead.requirement ?? '', lead.contactText].join('\n'));

/** One form for letters that differ in case alone. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** What a search asks for: as it is, and as digits where it may be a phone written with signs and blanks. */
export const searchNeedles = (search: string): string[] => {
  const plain = folded(search);
  const digits = /^[+0-9 ()./-]{4,}$/.test(search) ? search.replaceAll(/[^0-9]/g, '').replace(/^00/, '') : '';
  return [...new Set([plain, digits])].filter((needle) => needle !== '');
};

const seconds = (ms: number): number => Math.floor(ms / 1_000);
const b36 = (value: number): string => value.toString(36);
const number = (text: string): number => Number.parseInt(text || '0', 36);
