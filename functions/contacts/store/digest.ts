import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { chunkSize, chunksPerRow } from '../domain/counts.ts';
import { digestSize, idsIn, type Matcher } from '../domain/search.ts';

/**
 * The compact projection that search reads: phone and folded name of 16 contacts a row, folded from the change stream, about 40 bytes a
 * contact. Stretches of 1,024 ids take turns on 64 partitions, so that all of a million contacts are read in one parallel round, and a
 * stretch, for page numbers, by one query.
 */
export const digestShards = 64;

export const digestEntity = entity({
  name: 'contact-digest',
  purpose: 'Phone and folded name of 16 contacts, for search and page numbers',
  attributes: z.object({
    c: z.int(),
    d: z.int(),
    lines: z.string(),
    rev: z.int().default(0),
    checkpoints: z.record(z.string(), z.string()).default({}),
  }),
  key: ({ companyId, digest }: { companyId: number; digest: number }) => ({
    pk: shardKey(companyId, Math.floor((digest * digestSize) / chunkSize) % digestShards),
    sk: sortable(digest),
  }),
  idOf: ({ c, d }) => ({ companyId: c, digest: d }),
  example: { pk: 'C#<company>#CX#<id / 1,024 mod 64>', sk: '<id / 16, 16 digits>' },
});

/** Ids of all live contacts that match, greatest first. */
export const searchDigests = pattern(
  {
    question: 'contacts by a part of the name or phone',
    entity: 'contact-digest',
    by: 'Query',
    units: '0.5 RRU per 4 KB: about 5 RRU per 1,000 contacts, at most 64 queries at once',
  },
  async (companyId: number, lastId: number, matches: Matcher): Promise<number[]> => {
    const shards = Math.min(digestShards, Math.floor(lastId / chunkSize) + 1);
    const found = await Promise.all(Array.from({ length: shards }, (_, shard) => searchShard(companyId, shard, matches)));
    return found.flat().sort((a, b) => b - a);
  },
);

/** Ids of the live contacts of a stretch of 1,024, greatest first. */
export const listIdsOfChunk = pattern(
  { question: 'which of 1,024 ids are live contacts', entity: 'contact-digest', by: 'Query', units: '0.5 RRU per 4 KB: about 5 RRU' },
  async (companyId: number, chunk: number): Promise<number[]> => {
    const first = (chunk * chunkSize) / digestSize;
    const ids: number[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await digestEntity.query({
        pk: shardKey(companyId, chunk % digestShards),
        between: [sortable(first), sortable(first + chunkSize / digestSize - 1)],
        descending: true,
        after,
      });
      ids.push(...page.items.flatMap(({ d, lines }) => idsIn(d, lines)));
      after = page.last;
    } while (after);
    return ids;
  },
);

export const countsEntity = entity({
  name: 'contact-counts',
  purpose: 'How many live contacts each 1,024 ids hold, 128 numbers a row',
  attributes: z.object({
    companyId: z.int(),
    row: z.int(),
    counts: z.array(z.int()),
    rev: z.int().default(0),
    checkpoints: z.record(z.string(), z.string()).default({}),
  }),
  key: ({ companyId, row }: { companyId: number; row: number }) => ({ pk: countsKey(companyId), sk: sortable(row) }),
  idOf: ({ companyId, row }) => ({ companyId, row }),
  example: { pk: 'C#<company>#CC', sk: '<id / 131,072, 16 digits>' },
});
export type Counts = ItemOf<typeof countsEntity>;

/** Live contacts by chunk of 1,024 ids, newest chunk first. */
export const listCounts = pattern(
  {
    question: 'how many live contacts each 1,024 ids hold',
    entity: 'contact-counts',
    by: 'Query',
    units: '0.5 RRU per 4 KB: 1 RRU a million',
  },
  async (companyId: number): Promise<{ chunk: number; count: number }[]> => {
    const rows: Counts[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await countsEntity.query({ pk: countsKey(companyId), after });
      rows.push(...page.items);
      after = page.last;
    } while (after);
    return rows.flatMap(({ row, counts }) => counts.map((count, place) => ({ chunk: row * chunksPerRow + place, count }))).reverse();
  },
);

async function searchShard(companyId: number, shard: number, matches: Matcher): Promise<number[]> {
  const found: number[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const page = await digestEntity.query({ pk: shardKey(companyId, shard), after });
    for (const { d, lines } of page.items)
      for (const line of lines.split('\n'))
        if (line !== '' && matches(line)) found.push(d * digestSize + Number.parseInt(line.charAt(0), 36));
    after = page.last;
  } while (after);
  return found;
}

const shardKey = (companyId: number, shard: number): string => `${tenant(companyId)}#CX#${shard}`;
const countsKey = (companyId: number): string => `${tenant(companyId)}#CC`;
