import { any, below, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { reachEstimateEntityName, storedReach, type StoredReach } from '../contract/reach.ts';

type ReachKey = Pick<StoredReach, 'companyId' | 'wabaId' | 'country'>;

const reachEstimateEntity = entity({
  name: reachEstimateEntityName,
  purpose: 'How many people a max price reaches in a country, as the provider estimated it for a business account within two days',
  attributes: storedReach,
  key: ({ companyId, wabaId, country }: ReachKey) => ({ pk: `${tenant(companyId)}#REACH`, sk: `${wabaId}#${country}` }),
  idOf: ({ companyId, wabaId, country }) => ({ companyId, wabaId, country }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#REACH', sk: '<business account id>#<country>' },
});

export const getStoredReach = pattern(
  { question: 'what a max price reaches in a country', entity: reachEstimateEntityName, by: 'GetItem', units: '0.5 RRU' },
  (key: ReachKey): Promise<StoredReach | undefined> => reachEstimateEntity.get(key),
);

/** Another call may have read it meanwhile: the latest one stays. */
export const putReach = pattern(
  { question: 'an estimate that was read', entity: reachEstimateEntityName, by: 'PutItem', units: '1-3 WRU' },
  async (reach: StoredReach): Promise<void> => {
    await reachEstimateEntity.put(reach, any(missing(), below('readAt', reach.readAt)));
  },
);
