import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StreamFunction } from '../../shared/contract/context.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import { idOf } from './naming.ts';
import type { TableWithStream } from './table.ts';

/** Reading the table's change stream, and handing what stays undone to the dead-letter queue. */
export const streamStatements = (table: TableWithStream, dead: Queue): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    resources: [streamArn(table)],
  }),
  // The list cannot be narrowed to one stream, whose name is its time of creation; it can to this table's.
  new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: [`${table.tableArn}/stream/*`] }),
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [dead.queueArn] }),
];

/** Wakes the one reader of the stream: shards in order, from their beginning, failed records alone and again. */
export const attachStream = (stack: Stack, spec: StreamFunction, target: IFunction, table: TableWithStream, dead: Queue): void => {
  new EventSourceMapping(stack, idOf(spec.name, 'source'), {
    target,
    eventSourceArn: streamArn(table),
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: spec.batchSize,
    filters: wakingPatterns(spec.kinds).map((pattern) => ({ pattern: JSON.stringify(pattern) })),
    // One batch of a shard at a time: folds mark the last sequence number they have seen of each shard.
    parallelizationFactor: 1,
    bisectBatchOnError: true,
    retryAttempts: 10,
    maxRecordAge: Duration.hours(24),
    reportBatchItemFailures: true,
    onFailure: { bind: () => ({ destination: dead.queueArn }) },
    // Not for its window: an event of a stream says which shard it is of only when a window is set, and folds need to know. So the
    // longest window there is, and the function answers `{state: {}, batchItemFailures}` (Lambda takes an answer without `state` for a
    // failure) and lets pass the empty events that end a window.
    tumblingWindow: Duration.seconds(900),
  });
};

/** What wakes it: a change or the end of an item of a kind that leads to something, or an item that is due at a time. */
const wakingPatterns = (kinds: readonly string[]): object[] => [
  { dynamodb: { NewImage: { kind: { S: kinds } } } },
  { eventName: ['REMOVE'], dynamodb: { OldImage: { kind: { S: kinds } } } },
  { dynamodb: { NewImage: { [tableSchema.indexes.due.sortKey]: { S: [{ exists: true }] } } } },
];

function streamArn(table: TableWithStream): string {
  if (!table.tableStreamArn) throw new Error('The table has no stream.');
  return table.tableStreamArn;
}
