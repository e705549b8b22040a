import * as z from 'zod';
import { protectedPartitions } from '../../../shared/contract/resource.ts';
import { any, equals, exists, missing } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { type Connection, connectionEntityName, storedConnection } from '../contract/connection.ts';

export const connectionEntity = entity({
  name: connectionEntityName,
  purpose: 'A connected store, its sealed tokens and its import',
  attributes: storedConnection,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#SHOPCONN`, sk: sortable(id) }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  indexedBy: ['companyId', 'id', 'dueAt'],
  indexes: ({ companyId, id, dueAt }) => ({
    due: dueAt === undefined ? undefined : dueKeys(dueAt, connectionEntityName, `${companyId}:${id}`),
  }),
  example: { pk: 'C#<company>#SHOPCONN', sk: '<id, 16 digits>' },
});

/** A global look-up of the company that a store belongs to. A store belongs to one company at a time. */
const shopDomainEntity = entity({
  name: 'shop-domain',
  purpose: 'Which company and connection a store belongs to',
  attributes: z.object({ shop: z.string(), companyId: z.int(), connectionId: z.int() }),
  key: ({ shop }: { shop: string }) => ({ pk: `${protectedPartitions['shop-domain']}${shop}`, sk: 'SHOPDOMAIN' }),
  idOf: ({ shop }) => ({ shop }),
  example: { pk: 'SHOPDOMAIN#<shop>', sk: 'SHOPDOMAIN' },
});
export type ShopDomain = ItemOf<typeof shopDomainEntity>;

/** An installation without a company: a state that waits for the redirect, or tokens that wait to be claimed. Found by a hash. */
const installationEntity = entity({
  name: 'shop-installation',
  purpose: 'An unfinished installation, by the hash of its state or claim',
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
  key: ({ hash }: { hash: string }) => ({ pk: `${protectedPartitions['shop-installation']}${hash}`, sk: 'INSTALLATION' }),
  idOf: ({ hash }) => ({ hash }),
  expiresAt: ({ endsAt }) => Math.floor(endsAt / 1_000),
  example: { pk: 'INSTALLATION#<hash>', sk: 'INSTALLATION' },
});
export type Installation = ItemOf<typeof installationEntity>;

export const createInstallation = pattern(
  { question: 'create an installation', entity: 'shop-installation', by: 'PutItem', units: '1 WRU' },
  async (installation: Installation): Promise<void> => {
    await installationEntity.put(installation, missing());
  },
);

export const getInstallation = pattern(
  { question: 'an installation by its hash', entity: 'shop-installation', by: 'GetItem', units: '1 RRU, consistent' },
  (hash: string): Promise<Installation | undefined> => installationEntity.get({ hash }, { consistent: true }),
);

/** Deletes an installation; true for one caller only. */
export const deleteInstallation = pattern(
  { question: 'delete an installation, once', entity: 'shop-installation', by: 'DeleteItem', units: '1 WRU' },
  async (hash: string): Promise<boolean> => (await installationEntity.delete({ hash }, exists())).done,
);

export const getShopDomain = pattern(
  { question: 'the company of a store', entity: 'shop-domain', by: 'GetItem', units: '1 RRU, consistent' },
  (shop: string): Promise<ShopDomain | undefined> => shopDomainEntity.get({ shop }, { consistent: true }),
);

/** Connects a store to a company: connection, look-up and the used claim in one transaction. False when the store changed hands. */
export const createConnection = pattern(
  { question: 'connect a store to a company', entity: connectionEntityName, by: 'TransactWriteItems', units: '6 WRU or more' },
  async (connection: Connection, owner: ShopDomain | undefined, claimHash: string): Promise<boolean> => {
    const { companyId, id, shop, rev } = connection;
    const committed = await commit({
      connection: connectionEntity.putting(connection, rev === 0 ? missing() : equals('rev', rev - 1)),
      shopDomain: shopDomainEntity.putting({ shop, companyId, connectionId: id }, owner ? equals('companyId', owner.companyId) : missing()),
      installation: installationEntity.deleting({ hash: claimHash }, exists()),
    });
    return committed.done;
  },
);

export const getConnectionRow = pattern(
  { question: 'a connected store', entity: connectionEntityName, by: 'GetItem', units: '1 RRU a KB, consistent' },
  (companyId: number, id: number): Promise<Connection | undefined> => connectionEntity.get({ companyId, id }, { consistent: true }),
);

export const listConnectionRows = pattern(
  { question: 'the connected stores of a company, newest first', entity: connectionEntityName, by: 'Query', units: '0.5 RRU per 4 KB' },
  (companyId: number): Promise<Connection[]> =>
    connectionEntity.collect({ pk: `${tenant(companyId)}#SHOPCONN`, descending: true }, { atMost: 1_000 }),
);

/** Writes a connection, on the condition that its revision is unchanged. */
export const updateConnection = pattern(
  { question: 'change a connection, if its revision is unchanged', entity: connectionEntityName, by: 'PutItem', units: '1 WRU a KB' },
  (connection: Connection): Promise<Written<Connection>> => connectionEntity.put(connection, equals('rev', connection.rev - 1)),
);

/** Deletes the look-up of a store. */
export const deleteShopDomain = pattern(
  { question: 'delete the look-up of a store', entity: 'shop-domain', by: 'DeleteItem', units: '1 WRU' },
  async (shop: string, companyId: number): Promise<void> => {
    await shopDomainEntity.delete({ shop }, any(missing(), equals('companyId', companyId)));
  },
);
