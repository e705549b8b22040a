import { ChangeMessageVisibilityCommand, MessageNotInflight } from '@aws-sdk/client-sqs';
import type { QueueSpec } from '../contract/resource.ts';
import { variableOf } from '../contract/resource.ts';
import { setting } from '../runtime/env.ts';
import { log } from '../runtime/log.ts';
import { sqs } from './client.ts';

/**
 * Hides a message from now on for so many seconds. Without it a failed message would come back when its visibility timeout ends, minutes
 * later; when the call fails, it does: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export const hideFor = async (queue: QueueSpec, receiptHandle: string, seconds: number): Promise<void> => {
  try {
    const QueueUrl = setting(variableOf(queue));
    await sqs().send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }));
  } catch (error) {
    // it was returned or taken over meanwhile: nothing is left to hide
    if (error instanceof MessageNotInflight) return;
    log.error('The visibility of a message could not be changed', error);
  }
};

/**
 * Runs `work` on a message that another worker is to take over soon after this one crashed: the message is hidden for `takeOverSeconds` only, and
 * again and again while this worker lives.
 */
export const whileHidden = async (queue: QueueSpec, receiptHandle: string, work: () => Promise<void>): Promise<void> => {
  const seconds = queue.takeOverSeconds;
  if (seconds === undefined) return work();
  await hideFor(queue, receiptHandle, seconds);
  const extend = setInterval(() => void hideFor(queue, receiptHandle, seconds), (seconds * 1_000) / 3);
  try {
    await work();
  } finally {
    clearInterval(extend);
  }
};
