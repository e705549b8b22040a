import * as z from 'zod';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { chunkSize, chunksPerRow } from '../domain/counts.ts';
import { digestSize, idsIn, type Matcher } from '../domain/search.ts';

/**
 * The compact projection that search reads: phone and searchable name of 16 contacts a row, about 40 bytes a contact. Ranges of 1,024 ids
 * are spread over 64 partitions, so that search reads a million contacts in one parallel round, and page numbers need one query per range.
 */
export const digestShards = 64;

export const digestEntity = entity({
  name: 'contact-digest',
  purpose: 'Phone and searchable name of 16 contacts, for search and page numbers',
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
  personalData: 'name, phone',
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

/** Ids of the live contacts in a range of 1,024, greatest first. */
export const listIdsOfChunk = pattern(
  { question: 'which of 1,024 ids are live contacts', entity: 'contact-digest', by: 'Query', units: '0.5 RRU per 4 KB: about 5 RRU' },
  async (companyId: number, chunk: number): Promise<number[]> => {
    const first = (chunk * chunkSize) / digestSize;
    const digests = await digestEntity.collect({
      pk: shardKey(companyId, chunk % digestShards),
      between: [sortable(first), sortable(first + chunkSize / digestSize - 1)],
      descending: true,
    });
    return digests.flatMap(({ d, lines }) => idsIn(d, lines));
  },
);

export const countsEntity = entity({
  name: 'contact-counts',
  purpose: 'How many live contacts each 1,024 ids have, 128 counts a row',
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

/** Live contacts by chunk of 1,024 ids, newest chunk first. */
export const listCounts = pattern(
  {
    question: 'how many live contacts each 1,024 ids have',
    entity: 'contact-counts',
    by: 'Query',
    units: '0.5 RRU per 4 KB: 1 RRU a million',
  },
  async (companyId: number): Promise<{ chunk: number; count: number }[]> => {
    const rows = await countsEntity.collect({ pk: countsKey(companyId) });
    return rows.flatMap(({ row, counts }) => counts.map((count, place) => ({ chunk: row * chunksPerRow + place, count }))).reverse();
  },
);

async function searchShard(companyId: number, shard: number, matches: Matcher): Promise<number[]> {
  const found: number[] = [];
  for await (const { items } of digestEntity.pages({ pk: shardKey(companyId, shard) }))
    for (const { d, lines } of items)
      for (const line of lines.split('\n'))
        if (line !== '' && matches(line)) found.push(d * digestSize + Number.parseInt(line.charAt(0), 36));
  return found;
}

const shardKey = (companyId: number, shard: number): string => `${tenant(companyId)}#CX#${shard}`;
const countsKey = (companyId: number): string => `${tenant(companyId)}#CC`;
