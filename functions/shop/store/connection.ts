import * as z from 'zod';
import { any, equals, exists, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { type Connection, connectionEntityName, storedConnection } from '../contract/connection.ts';

const connectionEntity = entity({
  name: connectionEntityName,
  purpose: 'A store of the platform that is connected, its sealed tokens, its import',
  attributes: storedConnection,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#SHOPCONN`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  indexedBy: ['companyId', 'id', 'dueAt'],
  indexes: ({ companyId, id, dueAt }) => ({
    due: dueAt === undefined ? undefined : dueKeys(dueAt, connectionEntityName, `${companyId}:${id}`),
  }),
  example: { pk: 'C#<company>#SHOPCONN', sk: '<id, 16 digits>' },
});

/** A global look-up: whose store it is. One company at a time. */
const shopDomainEntity = entity({
  name: 'shop-domain',
  purpose: 'Which company and connection a store belongs to',
  attributes: z.object({ shop: z.string(), companyId: z.int(), connectionId: z.int() }),
  key: ({ shop }: { shop: string }) => ({ pk: `SHOPDOMAIN#${shop}`, sk: 'SHOPDOMAIN' }),
  idOf: ({ shop }) => ({ shop }),
  example: { pk: 'SHOPDOMAIN#<shop>', sk: 'SHOPDOMAIN' },
});
export type ShopDomain = ItemOf<typeof shopDomainEntity>;

/** An installation that has no company yet: a state that waits for its answer, or tokens that wait to be claimed. Found by a hash. */
const installationEntity = entity({
  name: 'shop-installation',
  purpose: 'An installation under way: by the hash of its state, then of its claim',
  attributes: z.object({
    hash: z.string(),
    shop: z.string(),
    browserHash: z.string().optional(),
    sealedAccess: z.string().optional(),
    sealedRefresh: z.string().optional(),
    accessEndsAt: z.int().optional(),
    scopes: z.array(z.string()).optional(),
    endsAt: z.int(),
  }),
  key: ({ hash }: { hash: string }) => ({ pk: `INSTALLATION#${hash}`, sk: 'INSTALLATION' }),
  idOf: ({ hash }) => ({ hash }),
  expiresAt: ({ endsAt }) => Math.floor(endsAt / 1_000),
  example: { pk: 'INSTALLATION#<hash>', sk: 'INSTALLATION' },
});
export type Installation = ItemOf<typeof installationEntity>;

export const createInstallation = pattern(
  { question: 'an installation begins, or waits to be claimed', entity: 'shop-installation', by: 'PutItem', units: '1 WRU' },
  async (installation: Installation): Promise<void> => {
    await installationEntity.put(installation, missing());
  },
);

export const getInstallation = pattern(
  { question: 'an installation by its hash', entity: 'shop-installation', by: 'GetItem', units: '1 RRU, consistent' },
  (hash: string): Promise<Installation | undefined> => installationEntity.get({ hash }, { consistent: true }),
);

/** Takes an installation away: only one caller gets it. */
export const deleteInstallation = pattern(
  { question: 'an installation is used, once', entity: 'shop-installation', by: 'DeleteItem', units: '1 WRU' },
  async (hash: string): Promise<boolean> => (await installationEntity.delete({ hash }, exists())).done,
);

export const getShopDomain = pattern(
  { question: 'whose store it is', entity: 'shop-domain', by: 'GetItem', units: '1 RRU, consistent' },
  (shop: string): Promise<ShopDomain | undefined> => shopDomainEntity.get({ shop }, { consistent: true }),
);

/** The store becomes the company's, if nobody else's in the meantime: connection, look-up and the used claim in one write. */
export const createConnection = pattern(
  { question: 'a store becomes a company’s', entity: connectionEntityName, by: 'TransactWriteItems', units: '6 WRU or more' },
  async (connection: Connection, owner: ShopDomain | undefined, claimHash: string): Promise<boolean> => {
    const { companyId, id, shop, rev } = connection;
    const committed = await commit([
      connectionEntity.putting(connection, rev === 0 ? missing() : equals('rev', rev - 1)),
      shopDomainEntity.putting({ shop, companyId, connectionId: id }, owner ? equals('companyId', owner.companyId) : missing()),
      installationEntity.deleting({ hash: claimHash }, exists()),
    ]);
    return committed.done;
  },
);

export const getConnectionRow = pattern(
  { question: 'a connected store', entity: connectionEntityName, by: 'GetItem', units: '1 RRU a KB, consistent' },
  (companyId: number, id: number): Promise<Connection | undefined> => connectionEntity.get({ companyId, id }, { consistent: true }),
);

export const listConnectionRows = pattern(
  { question: 'the connected stores of a company', entity: connectionEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  async (companyId: number): Promise<Connection[]> => {
    const connections: Connection[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await connectionEntity.query({ pk: `${tenant(companyId)}#SHOPCONN`, descending: true, after });
      connections.push(...page.items);
      after = page.last;
    } while (after);
    return connections;
  },
);

/** Writes a connection, if nobody wrote it since it was read. */
export const updateConnection = pattern(
  { question: 'a connection changes', entity: connectionEntityName, by: 'PutItem', units: '1 WRU a KB' },
  (connection: Connection): Promise<Written<Connection>> => connectionEntity.put(connection, equals('rev', connection.rev - 1)),
);

/** The store is nobody's any more. */
export const deleteShopDomain = pattern(
  { question: 'a store is forgotten', entity: 'shop-domain', by: 'DeleteItem', units: '1 WRU' },
  async (shop: string, companyId: number): Promise<void> => {
    await shopDomainEntity.delete({ shop }, any(missing(), equals('companyId', companyId)));
  },
);
