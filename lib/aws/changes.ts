import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StreamFunction } from '../../shared/contract/context.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import { idOf } from './naming.ts';
import type { TableWithStream } from './table.ts';

/** Permission to read the change stream, and to send failed records to the dead-letter queue. */
export const streamStatements = (table: TableWithStream, deadLetters: Queue): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    resources: [streamArn(table)],
  }),
  // ListStreams supports no single stream, only all streams of a table
  new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: [`${table.tableArn}/stream/*`] }),
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }),
];

/**
 * Attaches the stream consumer: each shard in order from its beginning; failed records are repeated from the first failed one. Of a replica from
 * now on: what its stream has was carried out in the region that it comes from.
 */
export const attachStream = (
  stack: Stack,
  spec: StreamFunction,
  target: IFunction,
  table: TableWithStream,
  { deadLetters, isReplica }: { deadLetters: Queue; isReplica: boolean },
): EventSourceMapping =>
  new EventSourceMapping(stack, idOf(spec.name, 'source'), {
    target,
    eventSourceArn: streamArn(table),
    startingPosition: isReplica ? StartingPosition.LATEST : StartingPosition.TRIM_HORIZON,
    batchSize: spec.batchSize,
    filters: filterPatterns(spec).map((pattern) => ({ pattern: JSON.stringify(pattern) })),
    // one batch of a shard at a time: projections store the last sequence number of each shard
    parallelizationFactor: 1,
    bisectBatchOnError: true,
    // without end, until the stream itself forgets a record: what can never be carried out, the consumer sets aside
    retryAttempts: -1,
    maxRecordAge: Duration.hours(24),
    reportBatchItemFailures: true,
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
    // Lambda includes the shard id in an event only when a tumbling window is set, and projections need it. At the end of a window the
    // consumer confirms what it has done:
    // https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-windows.html
    tumblingWindow: Duration.seconds(900),
  });

/**
 * All other functions are replaced after the stream consumer and its filter: what follows from a change is decided by the consumer alone, and a
 * record that an older one passes over never comes again. docs/decisions/consumers-first.md
 */
export const replaceAfter = (source: EventSourceMapping, consumer: IFunction, functions: Iterable<IFunction>): void => {
  for (const each of functions) if (each !== consumer) each.node.addDependency(source);
};

/**
 * The records that reach the consumer: items of the kinds that have reactions, items with a due time, and items of kinds that only another version
 * knows, which the consumer sets aside for it. A pattern has at most 4,096 characters.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
const filterPatterns = ({ quiet, newOnly = [] }: StreamFunction): object[] => [
  { dynamodb: { NewImage: { kind: { S: notOneOf(quiet) } } } },
  { eventName: ['REMOVE'], dynamodb: { OldImage: { kind: { S: notOneOf(quiet) } } } },
  { dynamodb: { NewImage: { [tableSchema.indexes.due.sortKey]: { S: [{ exists: true }] } } } },
  ...(newOnly.length === 0 ? [] : [{ eventName: ['INSERT'], dynamodb: { NewImage: { kind: { S: newOnly } } } }]),
];

const notOneOf = (kinds: readonly string[]): object[] => [kinds.length === 0 ? { exists: true } : { 'anything-but': kinds }];

function streamArn(table: TableWithStream): string {
  if (!table.tableStreamArn) throw new Error('The table has no stream.');
  return table.tableStreamArn;
}
