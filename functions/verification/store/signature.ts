import * as z from 'zod';
import { missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

export const signatureEntity = entity({
  name: 'verification-signature',
  purpose: 'A signature of a call that may happen once, for as long as its timestamp is valid',
  attributes: z.object({ companyId: z.int(), hash: z.string(), operationId: z.string(), until: z.int() }),
  key: ({ companyId, hash }: { companyId: number; hash: string }) => ({ pk: `${tenant(companyId)}#V#SIGNATURE#${hash}`, sk: 'SIGNATURE' }),
  idOf: ({ companyId, hash }) => ({ companyId, hash }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#SIGNATURE#<sha256 of the signature>', sk: 'SIGNATURE' },
});

/** Fails when a call has used the signature. */
export const claimSignature = pattern(
  { question: 'use a signature once', entity: 'verification-signature', by: 'PutItem', units: '1 WRU' },
  (signature: ItemOf<typeof signatureEntity>): Promise<Written<ItemOf<typeof signatureEntity>>> =>
    signatureEntity.put(signature, missing()),
);
