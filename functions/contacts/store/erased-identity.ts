import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

/** What stays of an erased contact: a keyed hash for each identity, so that a later import does not subscribe the same recipient again. */
const erasedIdentityEntity = entity({
  name: 'erased-identity',
  purpose: 'That the contact of an identity was erased: a new contact with it begins unsubscribed',
  attributes: z.object({ companyId: z.int(), hash: z.string(), erasedAt: z.int() }),
  key: ({ companyId, hash }: ErasedIdentityId) => ({ pk: `${tenant(companyId)}#ERASED#${hash}`, sk: 'ERASED' }),
  idOf: ({ companyId, hash }) => ({ companyId, hash }),
  personalData: 'a keyed hash of phone or user id',
  endsBy: 'nothing: it keeps the refusal',
  example: { pk: 'C#<company>#ERASED#<keyed hash>', sk: 'ERASED' },
});
export type ErasedIdentity = ItemOf<typeof erasedIdentityEntity>;

interface ErasedIdentityId {
  companyId: number;
  hash: string;
}

export const putErasedIdentity = pattern(
  { question: 'an identity belonged to an erased contact', entity: 'erased-identity', by: 'PutItem', units: '1 WRU' },
  async (identity: ErasedIdentity): Promise<void> => {
    await erasedIdentityEntity.put(identity);
  },
);

export const getErasedIdentity = pattern(
  { question: 'whether an identity belonged to an erased contact', entity: 'erased-identity', by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, hash: string): Promise<ErasedIdentity | undefined> => erasedIdentityEntity.get({ companyId, hash }),
);

/** Eventually consistent: an erasure takes longer. */
export const getErasedIdentities = pattern(
  { question: 'which identities belonged to erased contacts', entity: 'erased-identity', by: 'BatchGetItem', units: '0.5 RRU each' },
  (companyId: number, hashes: readonly string[]): Promise<ErasedIdentity[]> =>
    erasedIdentityEntity.getMany(hashes.map((hash) => ({ companyId, hash }))),
);
