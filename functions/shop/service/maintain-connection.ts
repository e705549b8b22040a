import * as z from 'zod';
import { isProblem } from '../../../shared/contract/problems.ts';
import { dayMs, minuteMs, now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { Conflict } from '../../../shared/table/conflict.ts';
import { newToken } from '../../../shared/access/token.ts';
import { issueConnectionReceiver, revokeWebhookToken, webhookTokenStatus } from '../../account/service/machine-tokens.ts';
import type { Connection } from '../contract/connection.ts';
import { tokenContext, disconnected, newImport, withoutReceiver, withoutTokens } from '../domain/connection.ts';
import { webhookTopics } from '../domain/installation.ts';
import { isCurrency } from '../domain/money.ts';
import { type QueryResult, queryPlatform, refreshTokens } from '../gateway/storeplatform.ts';
import { getConnectionRow, updateConnection } from '../store/connection.ts';
import { modifyConnection } from './modify-connection.ts';
import { setPlatformCurrency } from './settings.ts';

/**
 * Sets up a new connection: reads the store's currency and counts, registers its webhooks, then starts the import. Webhooks come first, so
 * that no change falls between import and webhooks.
 */
export const setUpConnection = async (companyId: number, id: number, connectedAt: number): Promise<void> => {
  const connection = await getConnectionRow(companyId, id);
  if (connection?.status !== 'active' || connection.connectedAt !== connectedAt || connection.import) return;
  const details = await queryStore(connection, '{ shop { currencyCode } productsCount { count } ordersCount { count } }');
  const store = storeResponse.safeParse(details).data;
  const currency = store?.shop?.currencyCode;
  if (currency !== undefined && isCurrency(currency)) await setPlatformCurrency(companyId, currency);
  await registerWebhooks(connection);
  await revokeReceivers(connection, connection.formerReceivers ?? []);
  const at = now();
  const changed = await modifyConnection(companyId, id, ({ formerReceivers: _former, ...seen }) =>
    seen.status !== 'active' || seen.import
      ? undefined
      : {
          ...seen,
          ...(currency === undefined ? {} : { currency }),
          webhooksAt: at,
          dueAt: at + dayMs,
          import: {
            ...newImport(at),
            ...(store?.productsCount ? { productsTotal: store.productsCount.count } : {}),
            ...(store?.ordersCount ? { ordersTotal: store.ordersCount.count } : {}),
          },
        },
  );
  // disconnected meanwhile: the webhooks that were just registered must not stay
  if (changed?.status === 'inactive') await disconnectStore(companyId, id, connectedAt);
};

/** Daily maintenance: uses the token, which refreshes it long before it expires, and registers webhooks that the platform dropped. */
export const maintainConnection = async (companyId: number, id: number, dueAtMs: number): Promise<void> => {
  const connection = await getConnectionRow(companyId, id);
  if (connection?.dueAt !== dueAtMs) return;
  if (connection.status === 'inactive') {
    await modifyConnection(companyId, id, (seen) => (seen.dueAt === dueAtMs ? { ...seen, dueAt: now() + dayMs } : undefined));
    return disconnectStore(companyId, id, connection.connectedAt);
  }
  await registerWebhooks(connection);
  const at = now();
  await modifyConnection(companyId, id, (seen) =>
    seen.status === 'active' && seen.dueAt === dueAtMs ? { ...seen, webhooksAt: at, dueAt: Math.max(at, dueAtMs) + dayMs } : undefined,
  );
};

/**
 * Ends a connection: deletes the platform's subscriptions to our receiver, revokes the receiver, destroys the tokens. The receiver is revoked
 * also while the platform does not answer; then the queue retries, and the daily maintenance after it.
 */
export const disconnectStore = async (companyId: number, id: number, connectedAt: number): Promise<void> => {
  const connection = await getConnectionRow(companyId, id);
  if (connection?.status !== 'inactive' || connection.connectedAt !== connectedAt || connection.sealedReceiver === undefined) return;
  const token = await unseal(connection.sealedReceiver, tokenContext(connection.shop));
  const failure = await deleteSubscriptions(connection, (uri) => uri.endsWith(`/${token}`)).then(
    () => undefined,
    (error: unknown) => error,
  );
  await revokeReceivers(connection, [connection.sealedReceiver, ...(connection.formerReceivers ?? [])]);
  const isSame = (seen: Connection): boolean => seen.status === 'inactive' && seen.connectedAt === connectedAt;
  // tokens that the platform rejected are gone by now, and the subscriptions with them
  const left = await modifyConnection(companyId, id, (seen) =>
    isSame(seen) && (failure === undefined || seen.sealedAccess === undefined) ? withoutReceiver(withoutTokens(seen)) : undefined,
  );
  if (left && isSame(left) && left.sealedReceiver !== undefined) throw failure;
};

async function revokeReceivers({ companyId, shop }: Connection, receivers: readonly string[]): Promise<void> {
  for (const sealed of receivers) await revokeWebhookToken(companyId, await unseal(sealed, tokenContext(shop)));
}

/**
 * Queries the platform for a connection. A token that the platform no longer accepts deactivates the connection; any other failure throws,
 * and the queue retries.
 */
export const queryStore = async (
  connection: Connection,
  query: string,
  variables?: Record<string, unknown>,
): Promise<Record<string, unknown>> => {
  for (let attempt = 0; ; attempt++) {
    const { token, isNew } = await accessToken(connection, attempt > 0);
    const result: QueryResult = await queryPlatform(connection.shop, token, query, variables);
    if (result.outcome === 'done') return result.data;
    if (result.outcome === 'unauthorized' && !isNew && attempt === 0) continue;
    if (result.outcome === 'unauthorized') await endConnection(connection);
    throw new PlatformError(`The store platform answered ${result.outcome}.`);
  }
};

/**
 * The current access token. One worker at a time refreshes an expired token, under a lease in the connection. The old refresh token stays
 * valid until the new one is used, so a crash before our write loses nothing.
 */
async function accessToken(connection: Connection, isRefused: boolean): Promise<{ token: string; isNew: boolean }> {
  const { companyId, id, shop } = connection;
  const seen = await getConnectionRow(companyId, id);
  const at = now();
  if (seen?.sealedAccess === undefined || seen.connectedAt !== connection.connectedAt)
    throw new PlatformError('The store is not connected.');
  const isExpired = isRefused || (seen.accessEndsAt !== undefined && seen.accessEndsAt - renewEarlyMs < at);
  if (!isExpired || seen.sealedRefresh === undefined) return { token: await unseal(seen.sealedAccess, tokenContext(shop)), isNew: false };
  if (seen.refreshingAt !== undefined && seen.refreshingAt + refreshLeaseMs > at)
    throw new Conflict('Another worker is refreshing the token.');
  const leased = { ...seen, refreshingAt: at, rev: seen.rev + 1, updatedAt: at };
  if (!(await updateConnection(leased)).done) throw new Conflict('Another worker is refreshing the token.');
  const tokens = await refreshTokens(shop, await unseal(seen.sealedRefresh, tokenContext(shop)));
  if (tokens === 'refused') await endConnection(connection);
  // Releases the lease, so that the next attempt may refresh at once.
  if (tokens === 'unavailable')
    await modifyConnection(companyId, id, ({ refreshingAt, ...rest }) => (refreshingAt === at ? rest : undefined));
  if (tokens === 'refused' || tokens === 'unavailable') throw new PlatformError(`The token refresh was ${tokens}.`);
  const sealedAccess = await seal(tokens.access, tokenContext(shop));
  const sealedRefresh = tokens.refresh === undefined ? undefined : await seal(tokens.refresh, tokenContext(shop));
  await modifyConnection(companyId, id, ({ refreshingAt, accessEndsAt: _ends, ...rest }) =>
    refreshingAt !== at || rest.sealedAccess === undefined
      ? undefined
      : {
          ...rest,
          sealedAccess,
          ...(sealedRefresh === undefined ? {} : { sealedRefresh }),
          ...(tokens.lifeSeconds === undefined ? {} : { accessEndsAt: at + tokens.lifeSeconds * 1_000 }),
        },
  );
  return { token: tokens.access, isNew: true };
}

async function endConnection({ companyId, id, shop, connectedAt }: Connection): Promise<void> {
  log.warn('The store platform rejected the token, so the connection was deactivated', { company_id: companyId });
  await modifyConnection(companyId, id, (seen) =>
    seen.sealedAccess !== undefined && seen.shop === shop && seen.connectedAt === connectedAt
      ? withoutTokens(seen.status === 'active' ? disconnected(seen, now()) : seen)
      : undefined,
  );
}

/**
 * Subscribes every topic to the company's receiver. Our subscriptions to other URLs are left from an earlier connection and are deleted.
 */
async function registerWebhooks(connection: Connection): Promise<void> {
  const uri = await receiverUrl(connection);
  const left = await deleteSubscriptions(connection, (other) => other !== uri);
  for (const topic of webhookTopics) {
    if (left.some((each) => each.topic === topic && each.uri === uri)) continue;
    const made = createdResponse.parse(
      await queryStore(
        connection,
        `mutation ($topic: WebhookSubscriptionTopic!, $webhookSubscription: WebhookSubscriptionInput!) {
          webhookSubscriptionCreate(topic: $topic, webhookSubscription: $webhookSubscription) {
            webhookSubscription { id } userErrors { field message }
          }
        }`,
        { topic, webhookSubscription: { uri, format: 'JSON' } },
      ),
    );
    if (made.webhookSubscriptionCreate.userErrors.length > 0) throw new PlatformError(`The topic ${topic} was not registered.`);
  }
}

interface Subscription {
  id: string;
  topic: string;
  uri?: string | null | undefined;
}

/** Deletes those of our subscriptions whose URL is chosen; returns the others. */
async function deleteSubscriptions(connection: Connection, isChosen: (uri: string) => boolean): Promise<Subscription[]> {
  const { nodes } = subscriptionsResponse.parse(
    await queryStore(connection, '{ webhookSubscriptions(first: 250) { nodes { id topic uri } } }'),
  ).webhookSubscriptions;
  const chosen = nodes.filter(({ topic, uri }) => (webhookTopics as readonly string[]).includes(topic) && isChosen(uri ?? ''));
  for (const { id } of chosen)
    await queryStore(connection, 'mutation ($id: ID!) { webhookSubscriptionDelete(id: $id) { userErrors { field message } } }', { id });
  return nodes.filter((each) => !chosen.includes(each));
}

/**
 * The URL of the company's own receiver. Its token is created with the connection, and its posts are signed with the app's secret. A store
 * that is connected again while its former connection ends may hold a token that was revoked: it gets another one.
 */
async function receiverUrl({ companyId, id, shop, connectedAt, sealedReceiver }: Connection): Promise<string> {
  const held = sealedReceiver === undefined ? undefined : await unseal(sealedReceiver, tokenContext(shop));
  const status = held === undefined ? 'revoked' : await webhookTokenStatus(held);
  const token = held === undefined || status === 'revoked' ? newToken('webhook_token') : held;
  if (token !== held) {
    const sealed = await seal(token, tokenContext(shop));
    const changed = await modifyConnection(companyId, id, (seen) =>
      seen.status === 'active' && seen.connectedAt === connectedAt ? { ...seen, sealedReceiver: sealed } : undefined,
    );
    if (changed?.sealedReceiver !== sealed) throw new PlatformError('The store is not connected.');
  }
  if (status !== 'active') {
    const issued = await issueConnectionReceiver(companyId, { id, shop }, token);
    // another delivery of this work created it
    if (isProblem(issued) && issued.problem === 'conflict') throw new Conflict();
    if (isProblem(issued)) throw new PlatformError('The receiver could not be created.');
  }
  const base = optionalSetting('STOREPLATFORM_RECEIVER_BASE_URL') ?? optionalSetting('PUBLIC_BASE_URL');
  if (base === undefined) throw new PlatformError('STOREPLATFORM_RECEIVER_BASE_URL, the URL of the receivers, is not set.');
  return `${base}/shop/webhooks/storeplatform/${token}`;
}

const renewEarlyMs = 5 * minuteMs;
const refreshLeaseMs = 60_000;

const storeResponse = z.object({
  shop: z.object({ currencyCode: z.string() }).optional(),
  productsCount: z.object({ count: z.int() }).nullish(),
  ordersCount: z.object({ count: z.int() }).nullish(),
});
const subscriptionsResponse = z.object({
  webhookSubscriptions: z.object({ nodes: z.array(z.object({ id: z.string(), topic: z.string(), uri: z.string().nullish() })) }),
});
const createdResponse = z.object({ webhookSubscriptionCreate: z.object({ userErrors: z.array(z.looseObject({})) }) });

/** The queue retries the work; a store that keeps failing appears among the dead letters. */
export class PlatformError extends Error {
  override name = 'PlatformError';
}
