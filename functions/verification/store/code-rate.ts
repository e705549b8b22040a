import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { codeRateEntityName } from '../contract/stored.ts';

/** Attempts and verified codes of a profile, a projection of the change stream. */
export const codeRateEntity = entity({
  name: codeRateEntityName,
  purpose: 'Attempts and verified codes of a profile within the hour',
  attributes: z.looseObject({
    companyId: z.int(),
    profileId: z.string(),
    rev: z.int().default(0),
    checkpoints: z.record(z.string(), z.string()).default({}),
    until: z.int(),
  }),
  key: ({ companyId, profileId }: { companyId: number; profileId: string }) => ({
    pk: `${tenant(companyId)}#V#${profileId}#CODES`,
    sk: 'RATE',
  }),
  idOf: ({ companyId, profileId }) => ({ companyId, profileId }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<profile>#CODES', sk: 'RATE' },
});

export const getCodeRate = pattern(
  { question: 'attempts and verified codes of a profile within the hour', entity: codeRateEntityName, by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, profileId: string): Promise<ItemOf<typeof codeRateEntity> | undefined> =>
    codeRateEntity.get({ companyId, profileId }),
);
