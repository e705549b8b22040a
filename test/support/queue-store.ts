import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FauxqsServer } from 'fauxqs';

export interface StoredMessage {
  messageId: string;
  body: string;
  sentTimestamp: number;
  approximateReceiveCount: number;
  approximateFirstReceiveTimestamp?: number;
  delayUntil?: number;
  messageGroupId?: string;
}

export interface ReceivedMessage {
  MessageId: string;
  ReceiptHandle: string;
  MD5OfBody: string;
  Body: string;
  MessageAttributes?: Record<string, { DataType: string; StringValue?: string }>;
}

/** A queue as the emulator's own code has it. */
export interface LocalQueue {
  messages: readonly StoredMessage[];
  delayedMessages: readonly StoredMessage[];
  inflightMessages: ReadonlyMap<string, { message: StoredMessage; visibilityDeadline: number }>;
  dequeue: (most: number, visibilitySeconds: undefined, queueByArn: (arn: string) => unknown) => ReceivedMessage[];
  deleteMessage: (receiptHandle: string) => boolean;
  changeVisibility: (receiptHandle: string, seconds: number) => void;
}

export interface QueueStore {
  getQueueByName: (name: string) => LocalQueue | undefined;
  getQueueByArn: (arn: string) => LocalQueue | undefined;
}

type StoreClass = { prototype: { createQueue: (this: QueueStore, ...args: unknown[]) => unknown } };
const file = join(import.meta.dirname, '../../node_modules/fauxqs/dist/sqs/sqsStore.js');

/**
 * The queues of an emulator in this process. Lambda's poller stands beside the product, so a drain takes messages from them without a request,
 * of which this process would pay both ends; what the product sends goes over HTTP.
 */
export const storeOf = async (server: FauxqsServer): Promise<QueueStore> => {
  const { SqsStore } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { SqsStore: StoreClass };
  const { createQueue } = SqsStore.prototype;
  const stores: QueueStore[] = [];
  SqsStore.prototype.createQueue = function (...args) {
    stores.push(this);
    return createQueue.apply(this, args);
  };
  server.createQueue('probe');
  SqsStore.prototype.createQueue = createQueue;
  server.deleteQueue('probe');
  const [store] = stores;
  if (!store) throw new Error('The queue emulator keeps its queues in another way now.');
  return store;
};
