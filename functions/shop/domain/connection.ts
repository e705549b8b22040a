import { isoTime } from '../../../shared/runtime/clock.ts';
import type { Connection } from '../contract/connection.ts';
import type { ConnectionRecord } from '../contract/connection-routes.ts';

/** A connection as it is shown: nothing secret. */
export const connectionRecord = (connection: Connection): ConnectionRecord => {
  const { id, shop, status, scopes, currency, webhooksAt, import: taken, connectedAt, updatedAt } = connection;
  return {
    id,
    shop,
    status,
    scopes,
    currency: currency ?? null,
    webhooks_registered_at: webhooksAt === undefined ? null : isoTime(webhooksAt),
    import: taken
      ? {
          status: taken.status,
          products: taken.products,
          products_total: taken.productsTotal ?? null,
          orders: taken.orders,
          orders_total: taken.ordersTotal ?? null,
          failed: taken.failed,
          error: taken.error ?? null,
          started_at: isoTime(taken.startedAt),
          finished_at: taken.finishedAt === undefined ? null : isoTime(taken.finishedAt),
        }
      : null,
    connected_at: isoTime(connectedAt),
    updated_at: isoTime(updatedAt),
  };
};

/** An import from its beginning. */
export const newImport = (at: number): NonNullable<Connection['import']> => ({
  status: 'running',
  part: 'products',
  after: '0',
  slice: 0,
  products: 0,
  orders: 0,
  failed: 0,
  startedAt: at,
});

/** Without anything that opens the store, and without work. */
export const disconnected = (connection: Connection, at: number): Connection => {
  const {
    sealedAccess: _access,
    sealedRefresh: _refresh,
    accessEndsAt: _ends,
    refreshingAt: _refreshing,
    dueAt: _due,
    webhooksAt: _webhooks,
    import: taken,
    ...rest
  } = connection;
  const stopped = taken?.status === 'running' ? { ...taken, status: 'failed' as const, error: 'disconnected', finishedAt: at } : taken;
  return { ...rest, ...(stopped ? { import: stopped } : {}), status: 'inactive', rev: connection.rev + 1, updatedAt: at };
};

/** Binds a sealed token to its shop: moved to another one it does not open. */
export const tokenContext = (shop: string): string => `storeplatform:${shop}`;
