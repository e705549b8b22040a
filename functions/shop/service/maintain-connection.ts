import * as z from 'zod';
import { isProblem } from '../../../shared/contract/problems.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { log } from '../../../shared/runtime/log.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { isStored } from '../../account/service/credentials.ts';
import { issueWebhookToken } from '../../account/service/machine-tokens.ts';
import type { Connection } from '../contract/connection.ts';
import { tokenContext, disconnected, newImport } from '../domain/connection.ts';
import { webhookTopics } from '../domain/installation.ts';
import { isCurrency } from '../domain/money.ts';
import { appCredentials, type QueryResult, queryPlatform, refreshTokens } from '../gateway/storeplatform.ts';
import { getConnectionRow, updateConnection } from '../store/connection.ts';
import { setPlatformCurrency } from './settings.ts';

/** A new connection: what the store is like, its webhooks, then its first import, in this order, so that nothing falls between. */
export const setUpConnection = async (companyId: number, id: number, connectedAt: number): Promise<void> => {
  const connection = await getConnectionRow(companyId, id);
  if (connection?.status !== 'active' || connection.connectedAt !== connectedAt || connection.import) return;
  const details = await queryStore(connection, '{ shop { currencyCode } productsCount { count } ordersCount { count } }');
  const store = storeResponse.safeParse(details).data;
  const currency = store?.shop?.currencyCode;
  if (currency !== undefined && isCurrency(currency)) await setPlatformCurrency(companyId, currency);
  await registerWebhooks(connection);
  const at = now();
  await modifyConnection(companyId, id, (seen) =>
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
};

/** Once a day: the token is used, and so renewed long before it could lapse; webhooks that the platform dropped are registered again. */
export const maintainConnection = async (companyId: number, id: number, dueAtMs: number): Promise<void> => {
  const connection = await getConnectionRow(companyId, id);
  if (connection?.status !== 'active' || connection.dueAt !== dueAtMs) return;
  await registerWebhooks(connection);
  const at = now();
  await modifyConnection(companyId, id, (seen) =>
    seen.status === 'active' && seen.dueAt === dueAtMs ? { ...seen, webhooksAt: at, dueAt: Math.max(at, dueAtMs) + dayMs } : undefined,
  );
};

/**
 * Asks the platform in the name of a connection. A token the platform no longer takes ends the connection; anything else that fails
 * throws, and the work comes again.
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

/** A connection changed as it stands, however often it is changed meanwhile; undefined from `change`: it stays. */
export const modifyConnection = async (
  companyId: number,
  id: number,
  change: (seen: Connection) => Connection | undefined,
): Promise<Connection | undefined> => {
  for (let attempt = 0; attempt < 12; attempt++) {
    const seen = await getConnectionRow(companyId, id);
    const wanted = seen && change(seen);
    if (!wanted || !seen) return seen;
    const next = { ...wanted, rev: seen.rev + 1, updatedAt: now() };
    if ((await updateConnection(next)).done) return next;
  }
  throw new PlatformError('A connection changed too often.');
};

/**
 * The token of now. A spent one is renewed by one caller alone: it says so in the connection first; the others come back later. The old
 * refresh token works until the new one is used, so a crash between the platform's answer and our write loses nothing.
 */
async function accessToken(connection: Connection, isRefused: boolean): Promise<{ token: string; isNew: boolean }> {
  const { companyId, id, shop } = connection;
  const seen = await getConnectionRow(companyId, id);
  const at = now();
  if (seen?.status !== 'active' || seen.sealedAccess === undefined) throw new PlatformError('The store is not connected.');
  const isExpired = isRefused || (seen.accessEndsAt !== undefined && seen.accessEndsAt - renewEarlyMs < at);
  if (!isExpired || seen.sealedRefresh === undefined) return { token: await unseal(seen.sealedAccess, tokenContext(shop)), isNew: false };
  if (seen.refreshingAt !== undefined && seen.refreshingAt + refreshLeaseMs > at) throw new PlatformError('The token is being renewed.');
  const leased = { ...seen, refreshingAt: at, rev: seen.rev + 1, updatedAt: at };
  if (!(await updateConnection(leased)).done) throw new PlatformError('The token is being renewed.');
  const tokens = await refreshTokens(shop, await unseal(seen.sealedRefresh, tokenContext(shop)));
  if (tokens === 'refused') await endConnection(connection);
  // whoever comes next may try at once
  if (tokens === 'unavailable')
    await modifyConnection(companyId, id, ({ refreshingAt, ...rest }) => (refreshingAt === at ? rest : undefined));
  if (tokens === 'refused' || tokens === 'unavailable') throw new PlatformError(`Renewing the token was ${tokens}.`);
  const sealedAccess = await seal(tokens.access, tokenContext(shop));
  const sealedRefresh = tokens.refresh === undefined ? undefined : await seal(tokens.refresh, tokenContext(shop));
  await modifyConnection(companyId, id, ({ refreshingAt, accessEndsAt: _ends, ...rest }) =>
    refreshingAt !== at || rest.status !== 'active'
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
  log.warn('The store platform no longer takes our token', { company_id: companyId });
  await modifyConnection(companyId, id, (seen) =>
    seen.status === 'active' && seen.shop === shop && seen.connectedAt === connectedAt ? disconnected(seen, now()) : undefined,
  );
}

/** Every topic posts to the company's receiver; subscriptions of ours that post elsewhere are of an earlier connection, and go. */
async function registerWebhooks(connection: Connection): Promise<void> {
  const uri = await receiverUrl(connection);
  const listed = subscriptionsResponse.parse(
    await queryStore(connection, '{ webhookSubscriptions(first: 250) { nodes { id topic uri } } }'),
  );
  for (const { id, topic, uri: other } of listed.webhookSubscriptions.nodes)
    if (other !== uri && (webhookTopics as readonly string[]).includes(topic))
      await queryStore(connection, 'mutation ($id: ID!) { webhookSubscriptionDelete(id: $id) { userErrors { field message } } }', { id });
  for (const topic of webhookTopics) {
    if (listed.webhookSubscriptions.nodes.some((each) => each.topic === topic && each.uri === uri)) continue;
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

/** The company's own receiver, whose token is made with the connection and signed for with the app's secret. */
async function receiverUrl({ companyId, shop, sealedReceiver }: Connection): Promise<string> {
  if (sealedReceiver === undefined) throw new PlatformError('The connection has no receiver.');
  const token = await unseal(sealedReceiver, tokenContext(shop));
  if (!(await isStored(token))) {
    const { secrets } = await appCredentials();
    const issued = await issueWebhookToken(companyId, { receiver: 'storeplatform', name: shop, shared_secret: secrets[0] }, token);
    if (isProblem(issued)) throw new PlatformError('The receiver could not be made.');
  }
  const base = optionalSetting('STOREPLATFORM_RECEIVER_BASE_URL') ?? optionalSetting('PUBLIC_BASE_URL');
  if (base === undefined) throw new PlatformError('Set STOREPLATFORM_RECEIVER_BASE_URL to where the receivers answer.');
  return `${base}/shop/webhooks/storeplatform/${token}`;
}

const renewEarlyMs = 5 * 60_000;
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

/** The work comes again; a store that keeps failing shows in the dead-letter queue. */
export class PlatformError extends Error {
  override name = 'PlatformError';
}
