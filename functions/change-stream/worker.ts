import type { Context as LambdaContext, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { runFields, withLogScope } from '../../shared/runtime/log.ts';
import { storedKinds } from '../../shared/table/kinds.generated.ts';
import { journal, projections, reactions } from './registry.generated.ts';
import { confirmRecords, processChanges } from './service/process-changes.ts';

/**
 * The stream is read in tumbling windows because their events name the shard, which exact projections need. A window's state carries the
 * last record done; at its end the shard confirms it: https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-windows.html
 */
interface WindowEvent extends DynamoDBStreamEvent {
  shardId?: string;
  state?: WindowState;
  isFinalInvokeForWindow?: boolean;
}

interface WindowState {
  done?: string;
}

export const handler = (event: WindowEvent, context?: LambdaContext): Promise<DynamoDBBatchResponse & { state: WindowState }> =>
  withLogScope({ ...runFields(context), records: event.Records?.length ?? 0 }, async () => {
    if (event.shardId === undefined) throw new Error('The event names no shard: the event source must have a tumbling window.');
    if (event.isFinalInvokeForWindow) await confirmRecords(event.shardId, event.state?.done);
    const done = await processChanges(event.Records ?? [], event.shardId, { reactions, projections, journal, kinds: new Set(storedKinds) });
    return { state: { ...event.state, ...(done === undefined ? {} : { done }) }, batchItemFailures: [] };
  });
