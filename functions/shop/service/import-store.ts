import * as z from 'zod';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { runSlices } from '../../../shared/queue/slices.ts';
import type { Connection } from '../contract/connection.ts';
import { normalizeOrderNode, normalizeProductNode, orderFields, productFields } from '../domain/platform-record.ts';
import { getConnectionRow } from '../store/connection.ts';
import { queryStore } from './maintain-connection.ts';
import { modifyConnection } from './modify-connection.ts';
import { upsertOrder } from './upsert-order.ts';
import { upsertPlatformProduct } from './platform-products.ts';

/**
 * Imports some pages of a store's products and orders, in the order of the platform's ids; the connection stores the position. Webhooks are
 * registered before the import and every record carries the platform's clock, so a concurrent or repeated import ends in the platform's
 * state. Customers are not notified of imported orders.
 */
export const importSlice = async (companyId: number, id: number, slice: number, startedAt: number): Promise<void> => {
  const jobOf = ({ import: job }: Connection) =>
    job?.status === 'running' && job.slice === slice && job.startedAt === startedAt ? job : undefined;
  const connection = await getConnectionRow(companyId, id);
  await runSlices(connection?.status === 'active' ? connection : undefined, {
    claim: async (taken) => {
      const job = jobOf(taken);
      return job && { store: taken, job };
    },
    work: ({ store, job: { part, after, products, orders, failed } }) =>
      importPages(store, { part, after, products, orders, failed, isDone: false }),
    advance: (_, { isDone, ...reached }) =>
      modifyConnection(companyId, id, (seen) => {
        const held = jobOf(seen);
        if (!held) return undefined;
        const moved = { ...held, ...reached, slice: slice + 1 };
        return { ...seen, import: isDone ? { ...moved, status: 'completed' as const, finishedAt: now() } : moved };
      }),
  });
};

async function importPages(connection: Connection, from: ImportCursor): Promise<ImportCursor> {
  let cursor = from;
  const endsAt = performance.now() + sliceMs;
  for (let page = 0; page < pagesPerSlice && !cursor.isDone && performance.now() < endsAt; page++)
    cursor = await importPage(connection, cursor);
  return cursor;
}

interface ImportCursor {
  part: 'products' | 'orders';
  after: string;
  products: number;
  orders: number;
  failed: number;
  isDone: boolean;
}

async function importPage(connection: Connection, cursor: ImportCursor): Promise<ImportCursor> {
  const { part, after } = cursor;
  const search = `id:>${after}`;
  const [first, fields] = part === 'products' ? [100, productFields] : [10, orderFields];
  const query = `query ($first: Int!, $search: String) { ${part}(first: $first, sortKey: ID, query: $search) { nodes { ${fields} } } }`;
  const { nodes } = pageResponse.parse((await queryStore(connection, query, { first, search }))[part]);
  const { companyId, currency } = connection;
  let failed = 0;
  for (let start = 0; start < nodes.length; start += parallelRecords)
    await Promise.all(
      nodes.slice(start, start + parallelRecords).map(async (node) => {
        if (part === 'products') {
          const update = normalizeProductNode(node, currency);
          if (update) return upsertPlatformProduct(companyId, update);
        } else {
          const update = normalizeOrderNode(node);
          if (update) return void (await upsertOrder(companyId, { ...update, connectionId: connection.id }, { key: undefined }));
        }
        failed++;
        log.warn('A record of the store platform could not be parsed', { company_id: companyId, event: part });
      }),
    );
  const last = nodes.at(-1)?.legacyResourceId;
  const progress = { ...cursor, failed: cursor.failed + failed, [part]: cursor[part] + nodes.length - failed };
  if (nodes.length === first && last !== undefined) return { ...progress, after: last };
  return part === 'products' ? { ...progress, part: 'orders', after: '0' } : { ...progress, isDone: true };
}

const sliceMs = 15_000;
const pagesPerSlice = 20;
const parallelRecords = 8;

const pageResponse = z.object({ nodes: z.array(z.looseObject({ legacyResourceId: z.string().optional() })) });
