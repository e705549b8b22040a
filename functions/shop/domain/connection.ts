import { dayMs, isoTime } from '../../../shared/runtime/clock.ts';
import type { Connection } from '../contract/connection.ts';
import type { ConnectionRecord } from '../contract/connection-routes.ts';

/** The API record of a connection, without its tokens. */
export const connectionRecordOf = (connection: Connection): ConnectionRecord => {
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

/** The state of an import that is about to start. */
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

/**
 * The connection without pending work. Its tokens stay until the platform's subscriptions are deleted with them; a day later that is tried
 * again.
 */
export const disconnected = (connection: Connection, at: number): Connection => {
  const { webhooksAt: _webhooks, import: taken, ...rest } = connection;
  const stopped = taken?.status === 'running' ? { ...taken, status: 'failed' as const, error: 'disconnected', finishedAt: at } : taken;
  return {
    ...rest,
    ...(stopped ? { import: stopped } : {}),
    status: 'inactive',
    dueAt: at + dayMs,
    rev: connection.rev + 1,
    updatedAt: at,
  };
};

/** The connection without its tokens. */
export const withoutTokens = (connection: Connection): Connection => {
  const { sealedAccess: _access, sealedRefresh: _refresh, accessEndsAt: _ends, refreshingAt: _refreshing, ...rest } = connection;
  return rest;
};

/** The connection after its receiver was revoked: nothing is left to do. */
export const withoutReceiver = (connection: Connection): Connection => {
  const { sealedReceiver: _receiver, formerReceivers: _former, dueAt: _due, ...rest } = connection;
  return rest;
};

/** The sealing context of a token: a sealed token opens only for its own shop. */
export const tokenContext = (shop: string): string => `storeplatform:${shop}`;
