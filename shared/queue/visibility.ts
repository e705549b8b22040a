import type { QueueSpec } from '../contract/resource.ts';
import { variableOf } from '../contract/resource.ts';
import { now } from '../runtime/clock.ts';
import { optionalSetting, setting } from '../runtime/env.ts';
import { log } from '../runtime/log.ts';
import { signedHeaders } from '../runtime/sign.ts';

/**
 * Hides a message from now on for so many seconds. Without it a failed message would come back when its visibility timeout ends, minutes
 * later; when the call fails, it does: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export const hideFor = async (queue: QueueSpec, receiptHandle: string, seconds: number): Promise<void> => {
  try {
    await changeVisibility(setting(variableOf(queue)), receiptHandle, seconds);
  } catch (error) {
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

const tries = 3;
const tryMs = 3_000;

async function changeVisibility(queueUrl: string, receiptHandle: string, seconds: number): Promise<void> {
  const url = new URL('/', optionalSetting('AWS_ENDPOINT_URL_SQS') ?? queueUrl);
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ChangeMessageVisibility' };
  const body = JSON.stringify({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds });
  for (let attempt = 1; ; attempt++) {
    const signed = signedHeaders({ service: 'sqs', url, headers, body, at: new Date(now()) });
    const answer = await fetch(url, { method: 'POST', headers: signed, body, signal: AbortSignal.timeout(tryMs) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    const isPassing = answer === undefined || answer.status >= 500 || answer.status === 429;
    if (!isPassing || attempt >= tries) throw new Error(`SQS answered ${answer?.status} to ChangeMessageVisibility.`);
  }
}
