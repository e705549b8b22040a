import { Duration, type Stack } from 'aws-cdk-lib';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { QueueFunction } from '../../shared/contract/context.ts';
import type { QueueSpec } from '../../shared/contract/resource.ts';
import { visibilitySeconds } from '../../shared/contract/queue.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/**
 * A standard queue. The visibility timeout is six times the worker's timeout, as AWS recommends:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const makeQueue = (stack: Stack, settings: Settings, spec: QueueSpec, deadLetters: Queue): Queue =>
  new Queue(stack, idOf(spec.name, 'queue'), {
    queueName: `${settings.stackName}-${spec.name}`,
    visibilityTimeout: Duration.seconds(visibilitySeconds(spec)),
    retentionPeriod: Duration.days(14),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: spec.maxReceives },
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
  });

/**
 * Stores failed messages for the operator for 14 days, the maximum of SQS. One serves all queues: SQS moves each message back to the queue that
 * it came from (docs/decisions/alarms.md).
 */
export const makeDeadLetterQueue = (stack: Stack, settings: Settings, name: string): Queue =>
  new Queue(stack, idOf(name), {
    queueName: `${settings.stackName}-${name}`,
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
  });

export const sendStatement = (queue: Queue): PolicyStatement =>
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] });

/** What Lambda, and the worker with a message that failed, do with the queue under the function's role. */
export const consumeStatement = (queue: Queue): PolicyStatement =>
  new PolicyStatement({
    actions: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
    resources: [queue.queueArn],
  });

export const attachQueue = (stack: Stack, spec: QueueFunction, target: IFunction, queue: Queue): void => {
  if (spec.batchSize > 10 && !spec.batchWindowSeconds) throw new Error(`${spec.name}: batches of more than 10 need batchWindowSeconds.`);
  new EventSourceMapping(stack, idOf(spec.name, 'source'), {
    target,
    eventSourceArn: queue.queueArn,
    batchSize: spec.batchSize,
    maxConcurrency: spec.maxConcurrency,
    ...(spec.batchWindowSeconds ? { maxBatchingWindow: Duration.seconds(spec.batchWindowSeconds) } : {}),
    reportBatchItemFailures: true,
  });
};
