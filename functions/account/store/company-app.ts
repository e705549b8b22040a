import * as z from 'zod';
import { credentialEntity } from '../../../shared/access/credential.ts';
import { all, any, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { commit, type TransactionPart } from '../../../shared/table/transaction.ts';
import { appReceiverPart } from './app-receiver.ts';
import { providerHolderEntity } from './provider-app.ts';

export interface CompanyAppId {
  companyId: number;
  /** At the provider. */
  id: string;
}

/** An app of the provider that one company has: one URL of it receives the webhooks of the company's numbers. */
const companyAppEntity = entity({
  name: 'company-app',
  audited: true,
  purpose: 'An app of the provider that one company has, with its sealed secret and the hash of its receiver',
  attributes: z.object({
    companyId: z.int(),
    id: z.string(),
    name: z.string(),
    status: z.enum(['active', 'deleted']),
    sealedSecret: z.string().optional(),
    /** The token in the URL of the receiver: sealed, because the URL is entered at the provider again when its fields change. */
    sealedReceiver: z.string().optional(),
    receiverHash: z.string(),
    /** Grows with each number that comes to name it, so that no number names an app that is being deleted. */
    namings: z.int(),
    createdAt: z.int(),
    updatedAt: z.int(),
    /** Epoch milliseconds; of a deleted one. */
    endsAt: z.int().optional(),
  }),
  key: ({ companyId, id }: CompanyAppId) => ({ pk: partition(companyId), sk: id }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ endsAt }) => (endsAt === undefined ? undefined : Math.ceil(endsAt / 1_000)),
  example: { pk: 'C#<company>#PROVIDERAPP', sk: '<app id>' },
});
export type CompanyAppItem = ItemOf<typeof companyAppEntity>;

export const getCompanyAppItem = pattern(
  { question: 'an app of a company by its id at the provider', entity: 'company-app', by: 'GetItem', units: '0.5 RRU, consistently 1' },
  (id: CompanyAppId, options: { consistent?: boolean } = {}): Promise<CompanyAppItem | undefined> => companyAppEntity.get(id, options),
);

/** Deleted ones too. */
export const listCompanyAppItems = pattern(
  { question: 'the apps of a company', entity: 'company-app', by: 'Query', units: '0.5 RRU' },
  (companyId: number): Promise<CompanyAppItem[]> => companyAppEntity.collect({ pk: partition(companyId) }),
);

/** Stores the app, has its id be the company's, and lets its receiver in. False: the id is another company's, or the app is there already. */
export const createCompanyAppItem = async (app: CompanyAppItem): Promise<boolean> => {
  const { companyId, id, receiverHash, createdAt: claimedAt } = app;
  const { done } = await commit({
    app: companyAppEntity.putting(app, any(missing(), equals('status', 'deleted'))),
    owner: providerHolderEntity.putting({ providerId: id, companyId, appId: id, claimedAt }, missing()),
    receiver: appReceiverPart(id, receiverHash, companyId),
  });
  return done;
};

/** Replaces the secret: posts that are signed with the former one are refused from then on, and repeated by the provider. */
export const updateCompanyAppSecret = pattern(
  { question: 'an app of a company has another secret', entity: 'company-app', by: 'UpdateItem', units: '1 WRU' },
  async (id: CompanyAppId, sealedSecret: string, updatedAt: number): Promise<boolean> =>
    (await companyAppEntity.change(id, { set: { sealedSecret, updatedAt } }, equals('status', 'active'))).done,
);

/** Deletes the app with its receiver. False: a number came to name it meanwhile, or it is deleted already. */
export const deleteCompanyAppItem = async (app: CompanyAppItem, updatedAt: number, endsAt: number): Promise<boolean> => {
  const { companyId, id, namings, receiverHash } = app;
  const { done } = await commit({
    app: companyAppEntity.changing(
      { companyId, id },
      { set: { status: 'deleted', updatedAt, endsAt }, remove: ['sealedSecret', 'sealedReceiver'] },
      all(equals('status', 'active'), equals('namings', namings)),
    ),
    owner: providerHolderEntity.deleting({ providerId: id }, any(missing(), equals('companyId', companyId))),
    receiver: credentialEntity.deleting({ hash: receiverHash }),
  });
  return done;
};

/** A number comes to name the app, which must be there. */
export const nameCompanyAppPart = (id: CompanyAppId): TransactionPart =>
  companyAppEntity.changing(id, { add: { namings: 1 } }, all(exists(), equals('status', 'active')));

function partition(companyId: number): string {
  return `${tenant(companyId)}#PROVIDERAPP`;
}
