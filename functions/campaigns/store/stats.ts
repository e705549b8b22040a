import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable } from '../../../shared/table/schema.ts';
import {
  campaignFailuresEntityName,
  campaignStatsEntityName,
  campaignStatsPartEntityName,
  storedFailures,
  type StoredFailures,
  storedStats,
  type StoredStats,
  storedStatsPart,
} from '../contract/stored.ts';
import { campaignPartition } from './campaign-partition.ts';
import type { RecipientBatchId } from './recipient-batch.ts';

export const statsEntity = entity({
  name: campaignStatsEntityName,
  purpose: 'The counters of a campaign, a projection of its messages',
  attributes: storedStats,
  key: ({ companyId, campaignId }: { companyId: number; campaignId: number }) => ({
    pk: campaignPartition(companyId, campaignId),
    sk: 'STATS',
  }),
  idOf: ({ companyId, campaignId }) => ({ companyId, campaignId }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'STATS' },
});

/** In the partition of the sum, so that one shard of the stream adds them up. */
export const statsPartEntity = entity({
  name: campaignStatsPartEntityName,
  purpose: 'What some shards of the change stream counted of a campaign',
  attributes: storedStatsPart,
  key: ({ companyId, campaignId, part }: { companyId: number; campaignId: number; part: number }) => ({
    pk: campaignPartition(companyId, campaignId),
    sk: `STATS#${part}`,
  }),
  idOf: ({ companyId, campaignId, part }) => ({ companyId, campaignId, part }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'STATS#<part>' },
});

export const failuresEntity = entity({
  name: campaignFailuresEntityName,
  purpose: 'The recipients of a batch whose message failed',
  attributes: storedFailures,
  key: ({ companyId, campaignId, batch }: RecipientBatchId) => ({
    pk: campaignPartition(companyId, campaignId),
    sk: `F#${sortable(batch)}`,
  }),
  idOf: ({ companyId, campaignId, batch }) => ({ companyId, campaignId, batch }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'F#<batch, 16 digits>' },
});

export const listFailures = pattern(
  {
    question: 'failed recipients of a campaign, batch by batch',
    entity: campaignFailuresEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB',
  },
  async (companyId: number, campaignId: number, { from = 0, to }: { from?: number; to?: number } = {}): Promise<StoredFailures[]> => {
    const between = [`F#${sortable(from)}`, to === undefined ? 'F#~' : `F#${sortable(to)}`] as const;
    const query = { pk: campaignPartition(companyId, campaignId), between, consistent: true } as const;
    return failuresEntity.collect(query, { where: ({ contactIds }) => contactIds.length > 0 });
  },
);

export const getStats = pattern(
  { question: 'the counters of a campaign', entity: campaignStatsEntityName, by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number, campaignId: number): Promise<StoredStats | undefined> =>
    statsEntity.get({ companyId, campaignId }, { consistent: true }),
);

/** Of several campaigns, by campaign; those that have begun. */
export const listStats = pattern(
  { question: 'the counters of several campaigns', entity: campaignStatsEntityName, by: 'BatchGetItem', units: '0.5 RRU a campaign' },
  async (companyId: number, campaignIds: readonly number[]): Promise<Map<number, StoredStats>> => {
    const found = await statsEntity.getMany(campaignIds.map((campaignId) => ({ companyId, campaignId })));
    return new Map(found.map((stats) => [stats.campaignId, stats]));
  },
);
