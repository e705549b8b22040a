import * as z from 'zod';
import { optionalSetting } from '../runtime/env.ts';
import { callService } from '../runtime/service-call.ts';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatchRequestEntry.html */
export interface QueueEntry {
  Id: string;
  MessageBody: string;
  MessageGroupId?: string;
  DelaySeconds?: number;
  MessageAttributes?: Record<string, { DataType: 'String'; StringValue: string }>;
}

const answerSchema = z.object({ Failed: z.array(z.object({ Id: z.string() })).optional() });

/** The service of the queues. An object, so that tests can count its calls and make them fail (test/support/sdk-hooks.ts). */
export const sqs = {
  /** Up to ten entries, 1 MB in all. Those under `Failed` were not queued; the answer to a repeated request may hide that an entry was queued twice. */
  sendMessageBatch: async (input: {
    QueueUrl: string;
    Entries: readonly QueueEntry[];
  }): Promise<{ Failed?: readonly { Id: string }[] | undefined }> =>
    answerSchema.parse(
      await callService({
        service: 'sqs',
        origin: optionalSetting('AWS_ENDPOINT_URL_SQS') ?? new URL(input.QueueUrl).origin,
        contentType: 'application/x-amz-json-1.0',
        target: 'AmazonSQS.SendMessageBatch',
        input,
      }),
    ),
};
