import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { withLogScope } from '../../shared/runtime/log.ts';
import { projections, reactions } from './registry.generated.ts';
import { processChanges } from './service/process-changes.ts';

/** The stream is read in tumbling windows only because their events name the shard, which exact projections needs. */
type WindowEvent = DynamoDBStreamEvent & { shardId?: string };

export const handler = (event: WindowEvent): Promise<DynamoDBBatchResponse & { state: object }> =>
  withLogScope({ function: 'changes', records: event.Records?.length ?? 0 }, async () => {
    if (event.shardId === undefined) throw new Error('The event names no shard: the event source must have a tumbling window.');
    const failedAt = await processChanges(event.Records ?? [], event.shardId, { reactions, projections });
    return { state: {}, batchItemFailures: failedAt === undefined ? [] : [{ itemIdentifier: failedAt }] };
  });
