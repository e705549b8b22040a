import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createRecipientBatch } from '../../functions/campaigns/store/recipient-batch.ts';
import { activityEntity } from '../../functions/crm/store/lead.ts';
import { putCart } from '../../functions/shop/store/cart.ts';
import { connectionEntity } from '../../functions/shop/store/connection.ts';
import { putTestCall } from '../../functions/shop/store/delivery.ts';
import { putReceiverPost } from '../../functions/shop/store/receiver-post.ts';
import { createPrivacyRequest, privacyRequestKey } from '../../functions/shop/store/privacy.ts';
import { sealValue } from '../../functions/verification/service/secrets.ts';
import { putBlock } from '../../functions/verification/store/block.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { ulid } from '../../shared/runtime/ids.ts';
import { sortable, tableSchema } from '../../shared/table/schema.ts';
import { allRoutes, type ContractFixture, type NamedRoute, rowsOf, startFixture } from '../contract/fixture.ts';
import { putInBatches, writeInBatches } from '../support/batch-write.ts';
import type { Call } from '../support/gateway-event.ts';
import { isFullSize, runSize } from '../support/run-size.ts';
import { onTable } from '../support/sdk-hooks.ts';
import { fieldsOf } from './fields.ts';
import { jsonSchemaOf } from '../../lib/generate/json-schema.ts';

/**
 * Every list of the contract, whatever is filtered, after each partition that it reads has grown: by 12 MB in all, which would cost 1,500 RRU
 * to read whole; where the product allows fewer records, by as many.
 */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
  // what is listed: a record or more of each kind
  for (const named of allRoutes.filter(
    ({ name, route }) => (route.method === 'POST' && name.startsWith('create')) || name === 'setCannedReply',
  ))
    await fixture.call(named, await fixture.goodCall(named));
  await fixture.testApp.drain();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const rowCount = runSize(10, 3_000);
const rowBytes = runSize(400, 4_000);
const most = { token: 1_300, public: 40 } as const;

/** Lists of which this company has nothing that could be copied, and what bounds their reads. */
const withoutRows: Readonly<Record<string, string>> = {
  listCampaignReplies: 'contacts write here to no campaign; a page reads its own rows by their key, and no filter passes over any',
};

/** By kind of row: how many the product allows at most, where that is less; or what no company has more of. */
const mostStored: Readonly<Record<string, number>> = {
  pipeline: 20,
  'business-number': 500,
  field: 100,
  group: 500,
  tag: 1_000,
  'shop-category': 2_000,
  'webhook-endpoint': 10,
  segment: 200,
  'canned-reply': 500,
  'verification-template': 100,
  'verification-whitelist': 200,
  passkey: 100,
  // without a limit, and small: these stand for ten times as many of 400 bytes, members of a company, credentials, profiles, entries of one lead, leads of one contact
  user: 300,
  'credential-pointer': 300,
  'verification-profile': 300,
  activity: 2_000,
  'lead-of-contact': 300,
  // one row holds the numbers of all
  'crm-cells': 1,
  // a search reads the digest of all contacts: as much as 100,000 have (npm run bench -- contacts-large)
  'contact-digest': 860,
};

/** What these list comes from elsewhere: no example of the contract creates a row of it. */
const rowOf: Readonly<Record<string, (companyId: number, id: number) => Promise<unknown>>> = {
  listConnections: (companyId, id) =>
    connectionEntity.put({ companyId, id, shop: 'a.myshopify.com', status: 'inactive', scopes: [], connectedAt: 1, rev: 0, updatedAt: 1 }),
  listOrders: async () => {
    const named = allRoutes.find(({ name }) => name === 'receiveCustom');
    if (named) await fixture.call(named, await fixture.goodCall(named));
    await fixture.testApp.drain();
  },
  listCarts: (companyId) => {
    const at = fixture.testApp.clock.now();
    const times = { startedAt: at, lastAt: at, updatedAt: at };
    return putCart({
      companyId,
      key: 'c1',
      source: 'storeplatform',
      checkoutIds: ['c1'],
      state: 'open',
      items: ['Tart'],
      rev: 0,
      ...times,
    });
  },
  listTestCalls: (companyId) =>
    putTestCall({ companyId, at: fixture.testApp.clock.now(), event: 'order.placed', signature: 'none', body: '{}' }),
  listReceiverPosts: (companyId, id) =>
    putReceiverPost({
      companyId,
      id: ulid(fixture.testApp.clock.now() + id),
      at: fixture.testApp.clock.now(),
      receiver: 'webshop',
      credentialId: 1,
      outcome: 'queued',
      deliveryKey: `webshop:${id}`,
    }),
  listPrivacyRequests: (companyId, id) => {
    const given = { shop: 'a.myshopify.com', connectionId: 1, email: 'a@example.com', orderIds: [], dueAt: 2 };
    return createPrivacyRequest({ companyId, request: privacyRequestKey(id, 'd1'), at: 1, topic: 'customers/data_request', ...given });
  },
  listCampaignMessages: (companyId, id) => {
    const given = { rev: 0, builtAtRev: 0, contactIds: [fixture.contactId], processed: 1, waiting: [], done: true, skipped: [] };
    return createRecipientBatch({ companyId, campaignId: id, batch: 2 ** 52, isSingleRecipient: true, ...given });
  },
  listVerificationBlocks: (companyId) => {
    const times = { createdAt: 1, blockedUntil: Date.now() + 365 * dayMs };
    return putBlock({ companyId, id: 'b1', profileId: 'p', subjectKind: 'ip', reason: 'bombing', subject: '1', shown: '1', ...times });
  },
};

const jsonOf = (schema: z.ZodType, io: 'input' | 'output'): Json => jsonSchemaOf(schema, io);
interface Json {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Json>;
  anyOf?: Json[];
}
const lists = allRoutes.filter(
  ({ route: { method, caller, answers } }) =>
    method === 'GET' &&
    (caller.kind === 'token' || caller.kind === 'public') &&
    answers[200] !== undefined &&
    jsonOf(answers[200], 'output').properties?.['data']?.type === 'array',
);

test('the lists are found in the contract', () => {
  expect(lists.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['listContacts', 'listOrders', 'listAuditEntries', 'listPublicProducts']),
  );
  expect(lists.length).toBeGreaterThan(25);
});

/** The list as it is, with the largest page, and by each of its filters: the first value of each that is accepted, which finds little. */
const variantsOf = ({ route }: NamedRoute): Record<string, string>[][] => {
  const names = [...new Set(fieldsOf(route.query).flatMap(([name]) => (typeof name === 'string' ? [name] : [])))];
  const properties = route.query ? jsonOf(route.query, 'input').properties : undefined;
  const values = (name: string): string[] => [
    ...enumOf(properties?.[name]).toReversed(),
    'nothing',
    '999999',
    'true',
    '2020-01-01 00:00:00',
  ];
  const pages = names.includes('limit') ? [['1000', '100'].map((limit) => ({ limit }))] : [];
  const filters = names.filter((name) => !['limit', 'per_page', 'page', 'cursor'].includes(name));
  return [[{}], ...pages, ...filters.map((name) => values(name).map((value) => ({ [name]: value })))];
};
const enumOf = (schema: Json | undefined): string[] =>
  schema
    ? [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])]
        .map(String)
        .concat((schema.anyOf ?? []).flatMap(enumOf))
    : [];

test('the timeline of a lead goes on where a call had read enough: each entry once, newest first', async () => {
  const named = allRoutes.find(({ name }) => name === 'listLeadActivities');
  if (!named) throw new Error('The route is gone.');
  const good = await fixture.goodCall(named);
  const leadId = Number(good.path.split('/').at(-2));
  const key = activityEntity.key({ companyId: fixture.company.id, leadId, k: '' });
  // old ones, below what the example wrote; at full size more than one call may read
  const count = runSize(150, 2_600);
  await putInBatches(
    Array.from({ length: count }, (_, n) => {
      const entry = { k: `${sortable(1_000 + n)}#R#000001`, i: n + 1, t: 'lead.updated', by: 0, d: { pad: 'x'.repeat(rowBytes) } };
      return { ...activityEntity.stored({ companyId: fixture.company.id, leadId, entry, rev: 0, checkpoints: {} }), pk: key.pk };
    }),
  );
  const page = z.object({
    data: z.array(z.object({ id: z.int() })),
    meta: z.object({ next_cursor: z.string().nullable() }),
  });
  const seen: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    fixture.testApp.clock.advance(60_000);
    const query: Record<string, string> = { per_page: '100', ...(cursor ? { cursor } : {}) };
    let answer: unknown;
    const { rru } = await fixture.testApp.meter(async () => void (answer = (await fixture.call(named, { ...good, query })).body));
    expect(rru).toBeLessThanOrEqual(most.token);
    const { data, meta } = page.parse(answer);
    seen.push(...data.map(({ id }) => id));
    cursor = meta.next_cursor;
  }
  expect(seen.filter((id) => id <= count)).toEqual(Array.from({ length: count }, (_, n) => count - n));
  expect(new Set(seen).size).toBe(seen.length);
  const past = await fixture.call(named, { ...good, query: { per_page: '100', page: String(Math.ceil(seen.length / 100) + 1) } });
  expect(past.status).toBe(isFullSize() ? 422 : 200);
});

interface Partition {
  index: keyof typeof tableSchema.indexes | undefined;
  pk: string;
}
const keysOf = ({ index }: Partition) => (index ? tableSchema.indexes[index] : tableSchema);

describe.each(rowsOf(lists))('%s', (_title, named) => {
  const limit = named.route.caller.kind === 'public' ? most.public : most.token;
  // at the quick size no list could cost more: it shows that each list is met with rows in what it reads, and answers
  test(isFullSize()
    ? `costs at most ${limit} RRU a call, whatever is filtered`
    : 'answers whatever is filtered, over rows in each partition that it reads', async () => {
    const good = await fixture.goodCall(named);
    await rowOf[named.name]?.(fixture.company.id, Number(good.path.split('/').at(-2)) || 1);
    const read = new Map<string, Partition>();
    const costs = async (): Promise<Map<string, number>> => {
      const found = new Map<string, number>();
      for (const values of variantsOf(named))
        for (const query of values) {
          fixture.testApp.clock.advance(60_000);
          const call: Call = { ...good, query: { ...(good.query as Record<string, string>), ...query } };
          let status = 0;
          const used = await fixture.testApp.meter(async () => void ({ status } = await fixture.testApp.call(call)));
          expect(status, JSON.stringify(query)).toBeLessThan(500);
          found.set(JSON.stringify(query), used.rru);
          if (status === 200) break;
        }
      return found;
    };
    {
      using _hook = onTable(({ command, input, when }) => {
        if (command !== 'Query' || when !== 'before') return;
        const { IndexName: index, ExpressionAttributeValues: values = {} } = input as {
          IndexName?: Partition['index'];
          ExpressionAttributeValues?: object;
        };
        const pk = String(Object.values(values)[0]);
        read.set(`${index} ${pk}`, { index, pk });
      });
      await costs();
    }
    const stored = await fixture.testApp.dump();
    const copies = await Promise.all(grownRows([...read.values()], stored, rowCount));
    // a row may be read by its own key and by an index
    const grown = [...new Map(copies.map((row) => [`${String(row['pk'])} ${String(row['sk'])}`, row])).values()];
    await putInBatches(grown);
    try {
      const after = await costs();
      if (process.env['LIST_COSTS'])
        console.log(
          named.name,
          JSON.stringify([...new Set(grown.map(({ kind }) => kind))]),
          grown.length,
          JSON.stringify(Object.fromEntries(after)),
        );
      expect(Math.max(...after.values()), JSON.stringify([...after])).toBeLessThanOrEqual(limit);
      if (read.size > 0 && !(named.name in withoutRows)) expect(grown.length).toBeGreaterThan(0);
    } finally {
      await writeInBatches(grown.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
    }
  }, 300_000);
});

/** Copies of rows that are there, in each partition that was read, in key order beside them; of the same kind of partition where it is empty. */
function* grownRows(
  partitions: readonly Partition[],
  stored: readonly Record<string, unknown>[],
  count: number,
): Generator<Promise<Record<string, unknown>>> {
  const families = Map.groupBy(partitions, ({ index, pk }) => `${index} ${pk.replaceAll(/\d+/g, '#')}`);
  for (const family of families.values()) {
    const rows = family.flatMap((partition) => {
      const { partitionKey } = keysOf(partition);
      return stored.filter((row) => row[partitionKey] === partition.pk);
    });
    const like = rows.at(-1);
    if (!like) continue;
    for (let n = 0; n < Math.min(count, mostStored[String(like['kind'])] ?? count); n++) {
      const partition = family[n % family.length] as Partition;
      const { partitionKey, sortKey } = keysOf(partition);
      const base = rows.find((row) => row[partitionKey] === partition.pk) ?? like;
      const { list_pk: _l, list_sk: _s, due_pk: _d, due_sk: _t, ...row } = base;
      const copy = { ...row, sk: `${String(base['sk'])}~${n}`, [partitionKey]: partition.pk, [sortKey]: `${String(base[sortKey])}~${n}` };
      const padded = { ...copy, pad: 'x'.repeat(Math.max(1, rowBytes - JSON.stringify(copy).length)) };
      yield like['kind'] === 'verification-request' ? asAnotherRequest(padded, n) : Promise.resolve(padded);
    }
  }
}

/** A verification request is listed by its id, which says its partition, and shows what is sealed for that id. */
async function asAnotherRequest(row: Readonly<Record<string, unknown>>, n: number): Promise<Record<string, unknown>> {
  const id = `${String(row['id']).slice(0, 24)}${n.toString(16).padStart(11, '0')}${String(row['pk']).at(-1)}`;
  return { ...row, id, sk: id, sealedIdentifier: await sealValue(id, 'identifier', '+4915112345678') };
}
