import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { now } from '../../../shared/runtime/clock.ts';
import { dynamo, tableName } from '../../../shared/table/client.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { type Query, type QueryPage, queryRaw } from '../../../shared/table/query.ts';
import { tableSchema } from '../../../shared/table/schema.ts';
import type { Contact, SearchedContact } from '../contract/stored.ts';
import { searchedAttributes, toContact, toSearchedContact } from '../contract/stored.ts';
import { contactEntity } from './contact.ts';
import { updatedKey, type UpdatedPlace, updatedPlace, updatedShards } from './updated-key.ts';

/**
 * The index follows each contact by itself, within moments, so a change may show before an earlier one does. Changes of the last seconds are not
 * listed yet: a list that goes on from its last contact then skips none.
 */
export const indexLagMs = 5_000;

/** Which contacts of the index are read. */
export type IndexedContacts = 'live' | 'all' | 'deleted';

/** At most `count` contacts by last change, oldest first, from a position on (inclusive). */
export const listContactsUpdatedFrom = pattern(
  {
    question: 'contacts by last change, oldest first',
    entity: 'contact',
    by: 'Query',
    index: 'list',
    units: '0.5 RRU per 4 KB and partition, 8 partitions (16 for live and deleted ones)',
  },
  (companyId: number, from: UpdatedPlace, count: number, which: IndexedContacts): Promise<Contact[]> =>
    listFrom(wholeContacts, shardsOf(companyId, which), { from, until: untilLag() }, count),
);

/**
 * The same of what the search snapshot holds, deleted ones too. `newest`: also the changes of the last seconds, for a reader that reads them
 * again.
 */
export const listSearchedContactsUpdatedFrom = pattern(
  {
    question: 'what search reads of contacts by last change, oldest first',
    entity: 'contact',
    by: 'Query',
    index: 'list',
    units: '0.5 RRU per 4 KB and partition, 16 partitions',
  },
  (companyId: number, from: UpdatedPlace, count: number, upTo?: 'newest'): Promise<SearchedContact[]> =>
    listFrom(searchedContacts, shardsOf(companyId, 'all'), { from, until: upTo === 'newest' ? '~' : untilLag() }, count),
);

const untilLag = (): string => updatedPlace({ at: now() - indexLagMs, id: 0 });

/** A page of a partition as contacts, whole ones or what is searched of them. */
type PageReader<C> = (query: Omit<Query, 'filter'>) => Promise<QueryPage<C>>;
const wholeContacts: PageReader<Contact> = async (query) => {
  const { items, last } = await contactEntity.query(query);
  return { items: items.map(toContact), last };
};
const searchedContacts: PageReader<SearchedContact> = async (query) => {
  const { items, last } = await queryRaw({ ...query, attributes: searchedAttributes() });
  return { items: items.map(toSearchedContact), last };
};

async function listFrom<C extends { id: number; updatedAt: number }>(
  read: PageReader<C>,
  shards: readonly string[],
  { from, until }: { from: UpdatedPlace; until: string },
  count: number,
): Promise<C[]> {
  // changes spread evenly, so a little more than a fair share of each partition is mostly enough for a page
  const share = Math.min(count, Math.ceil((count / updatedShards) * 1.5) + 2);
  const reads = await Promise.all(shards.map((pk) => readFrom(read, pk, { from: updatedPlace(from), until }, share)));
  for (;;) {
    const found = reads.flatMap(({ items }) => items).sort((a, b) => (a.place < b.place ? -1 : 1));
    const page = found.slice(0, count);
    const end = page.length < count ? '~' : (page.at(-1)?.place ?? '~');
    // a partition that was not read to its end may have more contacts before the end of this page
    const short = reads.filter(({ last }) => last !== undefined && last < end);
    if (short.length === 0) return page.map(({ contact }) => contact);
    await Promise.all(
      short.map(async (shard) => {
        const more = await readFrom(read, shard.pk, { from: `${shard.last}!`, until }, count);
        shard.items.push(...more.items);
        shard.last = more.last;
      }),
    );
  }
}

/** The most changes that are counted. */
export const maxCounted = 10_000;

/** How many contacts changed at or after a time, counted from both ends in parallel; undefined when both counts exceed `atMost`. */
export const countContactsUpdatedFrom = pattern(
  {
    question: 'how many contacts changed since',
    entity: 'contact',
    by: 'Query',
    index: 'list',
    units: 'twice the shorter of the ranges before and after, 0.5 RRU per 4 KB; at most about 800 RRU',
  },
  async (companyId: number, fromMs: number, which: IndexedContacts, total: number, atMost: number): Promise<number | undefined> => {
    const border = updatedPlace({ at: fromMs, id: 0 });
    const after = counter(shardsOf(companyId, which), border, '~', atMost);
    // the total has no deleted contacts, so with them only the range after the time can be counted
    const before = which === 'live' ? counter(shardsOf(companyId, 'live'), '0', `${border.slice(0, -1)}!`, atMost) : undefined;
    while (!after.hasReachedLimit()) {
      const [since, until] = await Promise.all([after.step(), before?.step()]);
      if (since !== undefined) return since;
      if (until !== undefined) return Math.max(0, total - until);
    }
    return undefined;
  },
);

interface ShardRead<C> {
  pk: string;
  items: { place: string; contact: C }[];
  /** Position up to which the partition was read; undefined at its end. */
  last: string | undefined;
}

async function readFrom<C extends { id: number; updatedAt: number }>(
  read: PageReader<C>,
  pk: string,
  { from, until }: { from: string; until: string },
  limit: number,
): Promise<ShardRead<C>> {
  const page = await read({ pk, index: 'list', between: [from, until], limit });
  const items = page.items.map((contact) => ({ place: updatedPlace({ at: contact.updatedAt, id: contact.id }), contact }));
  return { pk, items, last: page.last && String(page.last[tableSchema.indexes.list.sortKey]) };
}

interface Counter {
  /** Reads the next pages; the sum once all partitions are read. */
  step: () => Promise<number | undefined>;
  hasReachedLimit: () => boolean;
}

/** Counts a range of some partitions, one page of each per step. */
function counter(shards: readonly string[], from: string, to: string, atMost: number): Counter {
  let open = shards.map((pk): { pk: string; after: Record<string, unknown> | undefined } => ({ pk, after: undefined }));
  let sum = 0;
  // small steps first, so that the longer range has not read far when the shorter one ends
  let limit = 50;
  return {
    step: async () => {
      const left = Math.ceil((atMost - sum) / open.length) + 1;
      const pages = await Promise.all(open.map(({ pk, after }) => countPage(pk, from, to, after, Math.min(limit, left))));
      limit *= 4;
      sum += pages.reduce((counted, page) => counted + page.count, 0);
      open = pages.filter(({ after }) => after !== undefined);
      return open.length === 0 ? sum : undefined;
    },
    hasReachedLimit: () => sum >= atMost,
  };
}

async function countPage(pk: string, from: string, to: string, after: Record<string, unknown> | undefined, limit: number) {
  const keys = tableSchema.indexes.list;
  const answer = await dynamo.send(
    new QueryCommand({
      TableName: tableName(),
      IndexName: 'list',
      Select: 'COUNT',
      Limit: limit,
      KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#pk': keys.partitionKey, '#sk': keys.sortKey },
      ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
      ...(after ? { ExclusiveStartKey: after } : {}),
    }),
  );
  return { pk, count: answer.Count ?? 0, after: answer.LastEvaluatedKey };
}

const shardsOf = (companyId: number, which: IndexedContacts): string[] =>
  (which === 'all' ? [false, true] : [which === 'deleted']).flatMap((isDeleted) =>
    Array.from({ length: updatedShards }, (_, shard) => updatedKey(companyId, shard, isDeleted)),
  );
