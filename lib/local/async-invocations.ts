import type { Deliveries } from './deliveries.ts';
import type { QueueEmulator } from './emulators.ts';
import type { FunctionPool } from './functions.ts';
import { type Json, parseJson, textOf } from './json.ts';
import { QueueConsumer } from './queues.ts';
import { createQueue, redrivePolicy } from './resources.ts';

/**
 * Functions invoked without waiting for the answer (targets of the bus, Lambda Invoke of type Event): each has a queue of the
 * runner's own, so that what was accepted survives the process and is tried three times, as on AWS.
 */
export interface AsyncInvocations {
  /** Accepts an event durably. */
  accept(pool: FunctionPool, event: Json): void;
  consumers(): readonly QueueConsumer[];
  stop(): void;
}

export const asyncInvocations = async (
  emulator: QueueEmulator,
  deliveries: Deliveries,
  functions: Iterable<FunctionPool>,
): Promise<AsyncInvocations> => {
  await createQueue(emulator, givenUp, {});
  const consumers = new Map<string, QueueConsumer>();
  const consume = (pool: FunctionPool): void => {
    const queue = { name: queueOf(pool), visibilitySeconds, maxReceives: attempts };
    const eventOf = ([record]: readonly { body?: Json }[]): Json => parseJson(textOf(record?.body) ?? 'null');
    const mapping = {
      queue,
      pool,
      batchSize: 1,
      windowSeconds: 0,
      concurrency: 4,
      reportsFailures: false,
      eventOf,
      retrySeconds,
      from: 'event',
    };
    const consumer = new QueueConsumer(mapping, emulator, deliveries);
    consumers.set(pool.name, consumer);
    void consumer.start();
  };
  // left over from an earlier run
  for (const pool of functions) if (emulator.server.inspectQueue(queueOf(pool))) consume(pool);
  return {
    accept: (pool, event) => {
      if (!consumers.has(pool.name)) {
        const attributes = { VisibilityTimeout: String(visibilitySeconds), RedrivePolicy: redrivePolicy(givenUp, attempts) };
        emulator.server.createQueue(queueOf(pool), { attributes });
        consume(pool);
      }
      emulator.server.sendMessage(queueOf(pool), JSON.stringify(event));
    },
    consumers: () => [...consumers.values()],
    stop: () => {
      for (const consumer of consumers.values()) consumer.stop();
    },
  };
};

const givenUp = 'local-events-dead';
const attempts = 3;
/** Lambda waits one minute, then two: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const retrySeconds = (attempt: number): number => (attempt < attempts ? 60 * attempt : 1);
const visibilitySeconds = 900;
const queueOf = (pool: FunctionPool): string => `local-events-${pool.name}`;
