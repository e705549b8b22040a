import * as z from 'zod';
import { protectedPartitions } from '../../../shared/contract/resource.ts';
import { credentialEntity } from '../../../shared/access/credential.ts';
import { all, any, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { appReceiverPart } from './app-receiver.ts';

/** An app of the provider that the operator shares among companies: one URL of it receives the webhooks of all their numbers. */
const providerAppEntity = entity({
  name: 'provider-app',
  purpose: 'An app of the provider that several companies share, with its sealed secret and the hash of its receiver',
  attributes: z.object({
    appId: z.string(),
    name: z.string(),
    sealedSecret: z.string(),
    /** The token in the URL of the receiver: sealed, because the URL is entered at the provider again when its fields change. */
    sealedReceiver: z.string(),
    receiverHash: z.string(),
    /** Companies connect their numbers by the provider's own dialog; absent: they do not. */
    signup: z.object({ configurationId: z.string(), hostedUrl: z.string().optional() }).optional(),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ appId }: { appId: string }) => ({ pk: protectedPartitions['provider-app'], sk: appId }),
  idOf: ({ appId }) => ({ appId }),
  example: { pk: protectedPartitions['provider-app'], sk: '<app id>' },
});
export type ProviderApp = ItemOf<typeof providerAppEntity>;

export const getProviderApp = pattern(
  { question: 'a shared app of the provider by its id', entity: 'provider-app', by: 'GetItem', units: '0.5 RRU' },
  (appId: string, options: { consistent?: boolean } = {}): Promise<ProviderApp | undefined> => providerAppEntity.get({ appId }, options),
);

export const listProviderApps = pattern(
  { question: 'the shared apps of the provider', entity: 'provider-app', by: 'Query', units: '0.5 RRU' },
  (): Promise<ProviderApp[]> => providerAppEntity.collect({ pk: protectedPartitions['provider-app'] }),
);

/** Stores the app and lets its receiver in. False: the app is there already, or a company has it. */
export const createProviderApp = async (app: ProviderApp): Promise<boolean> => {
  const { done } = await commit({
    app: providerAppEntity.putting(app, missing()),
    owner: providerHolderEntity.checking({ providerId: app.appId }, missing()),
    receiver: appReceiverPart(app.appId, app.receiverHash, 0),
  });
  return done;
};

/** Replaces the secret: posts that are signed with the former one are refused from then on, and repeated by the provider. */
export const updateProviderAppSecret = pattern(
  { question: 'a shared app has another secret', entity: 'provider-app', by: 'UpdateItem', units: '1 WRU' },
  async (appId: string, sealedSecret: string, updatedAt: number): Promise<boolean> =>
    (await providerAppEntity.change({ appId }, { set: { sealedSecret, updatedAt } }, exists())).done,
);

/** By which configuration of the app the provider's dialog connects numbers; undefined: by none. */
export const updateProviderAppSignup = pattern(
  { question: 'a shared app connects numbers by the provider’s dialog', entity: 'provider-app', by: 'UpdateItem', units: '1 WRU' },
  async (appId: string, signup: ProviderApp['signup'], updatedAt: number): Promise<boolean> =>
    (await providerAppEntity.change({ appId }, { set: { signup, updatedAt } }, exists())).done,
);

/** Removes the app, and with it its receiver. */
export const deleteProviderApp = async ({ appId, receiverHash }: ProviderApp): Promise<void> => {
  await commit({
    app: providerAppEntity.deleting({ appId }, equals('receiverHash', receiverHash)),
    receiver: credentialEntity.deleting({ hash: receiverHash }),
  });
};

/**
 * Whose a number or an account of the provider is: of the company that showed, with its own access token, that it holds it. The webhooks of an app
 * are routed by it, so it is written where that was shown, and nowhere else. An app of one company is held too, with its own id: its secret showed that.
 */
export const providerHolderEntity = entity({
  name: 'provider-holder',
  purpose: 'The company that holds a number or an account of the provider under an app, or an app',
  attributes: z.object({
    providerId: z.string(),
    companyId: z.int(),
    /** The company's number; absent: an account, or an app. */
    numberId: z.int().optional(),
    appId: z.string(),
    claimedAt: z.int(),
  }),
  key: ({ providerId }: { providerId: string }) => ({ pk: `${protectedPartitions['provider-holder']}${providerId}`, sk: 'HOLDER' }),
  idOf: ({ providerId }) => ({ providerId }),
  example: { pk: `${protectedPartitions['provider-holder']}<phone number id or account id>`, sk: 'HOLDER' },
});
export type ProviderHolder = ItemOf<typeof providerHolderEntity>;

export const getProviderHolder = pattern(
  { question: 'whose number or account of the provider is this', entity: 'provider-holder', by: 'GetItem', units: '0.5 RRU' },
  (providerId: string): Promise<ProviderHolder | undefined> => providerHolderEntity.get({ providerId }),
);

/** An account belongs to one company; a number may move to another. `naming`: has the number name the app. False: the account is another company's. */
export const claimProviderIds = async (
  account: ProviderHolder,
  number: ProviderHolder,
  naming: readonly TransactionPart[],
): Promise<boolean> => {
  const { done } = await commit({
    naming,
    account: providerHolderEntity.putting(account, any(missing(), equals('companyId', account.companyId))),
    number: providerHolderEntity.putting(number),
  });
  return done;
};

/** The id is the company's no more; another one's is left. */
export const releaseProviderId = pattern(
  { question: 'a company holds a number or an account no more', entity: 'provider-holder', by: 'DeleteItem', units: '1 WRU' },
  async ({ providerId, companyId, appId }: Pick<ProviderHolder, 'providerId' | 'companyId' | 'appId'>): Promise<boolean> =>
    (await providerHolderEntity.delete({ providerId }, all(equals('companyId', companyId), equals('appId', appId)))).done,
);
