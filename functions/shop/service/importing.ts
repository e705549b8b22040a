import * as z from 'zod';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { Connection } from '../contract/connection.ts';
import { importedOrder, importedProduct, orderFields, productFields } from '../domain/platform-record.ts';
import { findConnection } from '../store/connection.ts';
import { ask, changeConnection } from './connections.ts';
import { takeOrder } from './placing.ts';
import { takeProduct } from './taking-products.ts';

/**
 * A store's products and orders, in the order of the platform's ids, some pages a slice; the place is kept in the connection. Webhooks were
 * registered before, and every record carries the platform's clock, so an import beside webhooks, or one repeated, ends as the platform
 * stands. Nothing of it is news to customers.
 */
export const importSlice = async (companyId: number, id: number, slice: number, startedAt: number): Promise<void> => {
  const connection = await findConnection(companyId, id);
  const job = connection?.import;
  if (connection?.status !== 'active' || job?.status !== 'running' || job.slice !== slice || job.startedAt !== startedAt) return;
  let place: Place = { part: job.part, after: job.after, products: 0, orders: 0, failed: 0, isDone: false };
  const endsAt = performance.now() + sliceMs;
  for (let page = 0; page < pagesASlice && !place.isDone && performance.now() < endsAt; page++) place = await importPage(connection, place);
  const { part, after, isDone } = place;
  await changeConnection(companyId, id, (seen) => {
    const held = seen.import;
    if (held?.status !== 'running' || held.slice !== slice || held.startedAt !== startedAt) return undefined;
    const moved = {
      ...held,
      part,
      after,
      slice: slice + 1,
      products: held.products + place.products,
      orders: held.orders + place.orders,
      failed: held.failed + place.failed,
    };
    return { ...seen, import: isDone ? { ...moved, status: 'completed' as const, finishedAt: now() } : moved };
  });
};

interface Place {
  part: 'products' | 'orders';
  after: string;
  products: number;
  orders: number;
  failed: number;
  isDone: boolean;
}

async function importPage(connection: Connection, place: Place): Promise<Place> {
  const { part, after } = place;
  const search = `id:>${after}`;
  const [first, fields] = part === 'products' ? [100, productFields] : [10, orderFields];
  const query = `query ($first: Int!, $search: String) { ${part}(first: $first, sortKey: ID, query: $search) { nodes { ${fields} } } }`;
  const { nodes } = pageAnswer.parse((await ask(connection, query, { first, search }))[part]);
  const { companyId, currency } = connection;
  let failed = 0;
  for (let start = 0; start < nodes.length; start += atOnce)
    await Promise.all(
      nodes.slice(start, start + atOnce).map(async (node) => {
        if (part === 'products') {
          const said = importedProduct(node, currency);
          if (said) return takeProduct(companyId, said);
        } else {
          const said = importedOrder(node);
          if (said) return void (await takeOrder(companyId, said, { key: undefined }));
        }
        failed++;
        log.warn('A record of the store platform could not be read', { company_id: companyId, event: part });
      }),
    );
  const last = nodes.at(-1)?.legacyResourceId;
  const taken = { ...place, failed: place.failed + failed, [part]: place[part] + nodes.length - failed };
  if (nodes.length === first && last !== undefined) return { ...taken, after: last };
  return part === 'products' ? { ...taken, part: 'orders', after: '0' } : { ...taken, isDone: true };
}

const sliceMs = 15_000;
const pagesASlice = 20;
const atOnce = 8;

const pageAnswer = z.object({ nodes: z.array(z.looseObject({ legacyResourceId: z.string().optional() })) });
