import type { Context as LambdaContext, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { runFields, withLogScope } from '../../../shared/runtime/log.ts';
import { storedKinds } from '../../../shared/table/kinds.generated.ts';
import { journal, projections, reactions } from '../registry.generated.ts';
import { listDelayedCompanies } from '../service/delay-changes.ts';
import { confirmRecords, processChanges } from '../service/process-changes.ts';

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
  /** Whether changes may wait. Unknown at the beginning of a window, the first of a shard among them: then the table is read. */
  isDelaying?: boolean;
}

export const handler = (event: WindowEvent, context?: LambdaContext): Promise<DynamoDBBatchResponse & { state: WindowState }> =>
  withLogScope({ ...runFields(context), records: event.Records?.length ?? 0 }, async () => {
    const { shardId, state = {} } = event;
    if (shardId === undefined) throw new Error('The event names no shard: the event source must have a tumbling window.');
    const waiting = state.isDelaying === false ? new Map<number, number>() : await listDelayedCompanies();
    if (event.isFinalInvokeForWindow && waiting.size === 0) await confirmRecords(shardId, state.done);
    const registry = { reactions, projections, journal, kinds: new Set(storedKinds) };
    const { done, delayed } = await processChanges(event.Records ?? [], shardId, registry, { waiting });
    const next = { ...state, ...(done === undefined ? {} : { done }), isDelaying: waiting.size + delayed.size > 0 };
    return { state: next, batchItemFailures: [] };
  });
