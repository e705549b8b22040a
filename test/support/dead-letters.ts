import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { FauxqsServer } from 'fauxqs';
import { variableOf, type QueueSpec } from '../../shared/contract/resource.ts';
import { setting } from '../../shared/runtime/env.ts';
import type { Random } from './random.ts';

export const deadLetterQueueName = (queue: string): string => `${queue}-dead`;

/** Messages that no one can read, and what the operator finds in the dead-letter queues and puts back. */
export const deadLetters = (server: FauxqsServer, queues: readonly QueueSpec[]) => {
  const sqs = new SQSClient({ endpoint: setting('AWS_ENDPOINT_URL_SQS'), region: 'us-east-1' });
  const bodiesIn = (queue: string): string[] =>
    (server.inspectQueue(deadLetterQueueName(queue))?.messages.ready ?? []).map(({ body }) => body);
  const poisoned = {
    /** How many were put on queues. */
    put: 0,
    /** How many of them are dead letters. */
    setAside: () => queues.flatMap(({ name }) => bodiesIn(name)).filter(isPoison).length,
  };
  const redriveOne = async (queue: QueueSpec, times: number): Promise<void> => {
    const [from, to] = [setting(variableOf(queue)).replace(queue.name, deadLetterQueueName(queue.name)), setting(variableOf(queue))];
    for (let left = bodiesIn(queue.name).length; left > 0; left--) {
      const received = await sqs.send(new ReceiveMessageCommand({ QueueUrl: from, MessageAttributeNames: ['All'] }));
      const message = received.Messages?.[0];
      if (!message?.Body) return;
      const copy = new SendMessageCommand({ QueueUrl: to, MessageBody: message.Body, MessageAttributes: message.MessageAttributes });
      for (let nth = 0; nth < (isPoison(message.Body) ? 1 : times); nth++) await sqs.send(copy);
      await sqs.send(new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle: message.ReceiptHandle }));
    }
  };
  return {
    poisoned,
    /** A message that its worker cannot read, on one of the queues that have a worker. */
    poison: async (random: Random): Promise<void> => {
      const pick = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
      const queue = pick(queues);
      if (!queue) return;
      poisoned.put++;
      await sqs.send(new SendMessageCommand({ QueueUrl: setting(variableOf(queue)), MessageBody: pick(poisons) }));
    },
    /** Bodies in the dead-letter queue of a queue, without poison. */
    setAside: ({ name }: Pick<QueueSpec, 'name'>): unknown[] =>
      bodiesIn(name)
        .filter((body) => !isPoison(body))
        .map((body) => JSON.parse(body) as unknown),
    /** The operator's redrive of every dead-letter queue; `times` 2: the button was pressed twice. */
    redrive: async (times = 1): Promise<void> => {
      for (const queue of queues) await redriveOne(queue, times);
    },
    stop: () => sqs.destroy(),
  };
};

const poisons = ['poison', '"poison"', '["poison"]', '{"poison":1}', '{"companyId":"poison"}', '{"companyId":7,"kind":"poison"'];
export const isPoison = (body: string): boolean => poisons.includes(body);
