import type { BucketSpec } from '../../shared/contract/resource.ts';

/** The name of the entity of changes that no reaction could carry out. A retry by the operator is a change of such an item. */
export const setAsideChangeName = 'set-aside-change';

/** As far back as a table can be restored: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html */
export const journalDays = 35;

/** Objects by table, hour, shard and sequence numbers. */
export const journalBucket: BucketSpec = {
  kind: 'bucket',
  name: 'journal',
  purpose: 'What a table that is restored to an earlier second must not have forgotten',
  retentionDays: journalDays,
};

/** Objects by company, shard and sequence numbers, each until it is worked off. */
export const delayedBucket: BucketSpec = {
  kind: 'bucket',
  name: 'delayed-changes',
  purpose: 'Changes of a company that wait because its rows take no writes for now',
  retentionDays: 14,
};
