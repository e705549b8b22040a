import type { QueueFunction } from '../../shared/contract/context.ts';
import { type ChangeHook, drainStream, shardedStream, type StreamSource } from './change-stream.ts';
import { type Drained, type DrainOptions, failureIds, type Worker } from './delivery.ts';
import { isTargeting } from './crash-points.ts';
import { isPoison } from './dead-letters.ts';
import {
  type DeliveredRecord,
  drainQueue,
  type InFlight,
  putBack,
  type QueueEvent,
  type QueueSource,
  returnLostMessages,
  releaseNext,
} from './queue-delivery.ts';
import { type Random, seeded } from './random.ts';

/** Puts a message on a queue, as its sender does. */
export type SendMessage = (queue: string, record: DeliveredRecord) => void;

/** Runs the change stream and the queues until nothing is left to do. */
export const deliveries = (given: StreamSource & QueueSource & { sendMessage: SendMessage }) => {
  const past: PastDelivery[] = [];
  let isDoubled = (): boolean => false;
  const workers = given.workers.map((worker) => sideBySide(recording(worker, past), () => isDoubled()));
  const plumbing = { ...given, workers };
  const stream = shardedStream(plumbing);
  const inHand = new Set<string>();
  return {
    /** Runs the hook on every change that is read from the stream from now on, each once; ends when disposed. */
    onChange: (hook: ChangeHook): Disposable => {
      stream.hooks.add(hook);
      return { [Symbol.dispose]: () => stream.hooks.delete(hook) };
    },
    /**
     * Until disposed, a share of the batches of queues is delivered twice at the same time, to two workers of one function: what either has done
     * is off its queue.
     */
    deliverTwice: (seed: number, share: number): Disposable => {
      const random = seeded(seed);
      isDoubled = () => random() < share;
      return {
        [Symbol.dispose]: () => {
          isDoubled = () => false;
        },
      };
    },
    beginAnew: stream.beginAnew,
    drain: async (wanted: DrainOptions = {}): Promise<Drained> => {
      // visits die often enough: more, and what is sound goes to the dead letters
      const options = isTargeting() && wanted.disorder ? { ...wanted, disorder: { ...wanted.disorder, crash: 0 } } : wanted;
      const random = seeded(options.disorder?.seed ?? 0);
      const sum: Drained = { records: 0, messages: 0, failures: 0 };
      const held: InFlight['held'] = [];
      try {
        for (let turn = 0; ; turn++) {
          if (turn > 10_000) throw new Error('The queues do not come to rest: something wakes itself for ever.');
          let worked = options.only !== 'queues' && (await drainStream(stream, plumbing, options, random, sum));
          if (options.only === 'changes') break;
          for (const worker of plumbing.workers)
            worked = (await drainQueue(plumbing.store, worker, options, random, sum, { held, inHand })) || worked;
          const isTimed = options.retry === 'timed';
          if (worked || (!isTimed && returnLostMessages(plumbing, inHand))) continue;
          if (options.including === 'delayed' && releaseNext(plumbing, options.until ?? Number.POSITIVE_INFINITY, isTimed)) continue;
          break;
        }
      } finally {
        for (const { queue, receipt } of held) putBack(queue, receipt, inHand);
      }
      return sum;
    },
    /**
     * A share of what the queues delivered lately once more, oldest first, as a queue may that lost the record of its end. What fails three times, as its process
     * crashed, is on its queue still.
     */
    redeliver: async (random: Random, share: number): Promise<void> => {
      for (const { worker, event } of past.slice()) {
        if (random() >= share) continue;
        const everyone = event.Records.map(({ messageId }) => messageId);
        let failed = everyone;
        for (let attempt = 0; failed.length > 0 && attempt < 3; attempt++)
          failed = await worker.invoke(event).then(failureIds, () => everyone);
        for (const record of event.Records)
          if (failed.includes(record.messageId) && !isPoison(record.body)) given.sendMessage(worker.spec.queue.name, record);
      }
    },
  };
};
/** A batch that a queue's worker was given. */
interface PastDelivery {
  worker: Worker<QueueFunction>;
  event: QueueEvent;
}
const recordedBatches = 300;

function sideBySide(worker: Worker<QueueFunction>, isDoubled: () => boolean): Worker<QueueFunction> {
  return {
    ...worker,
    invoke: async (event) => {
      if (!isDoubled()) return worker.invoke(event);
      const answers = await Promise.allSettled([worker.invoke(event), worker.invoke(event)]);
      const failures = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [failureIds(answer.value)] : []));
      const [first, second = first] = failures;
      if (first === undefined || second === undefined) throw new Error('Both workers of a batch crashed.');
      return { batchItemFailures: first.filter((id) => second.includes(id)).map((itemIdentifier) => ({ itemIdentifier })) };
    },
  };
}

function recording(worker: Worker<QueueFunction>, past: PastDelivery[]): Worker<QueueFunction> {
  return {
    ...worker,
    invoke: (event) => {
      past.push({ worker, event: event as QueueEvent });
      if (past.length > recordedBatches) past.shift();
      return worker.invoke(event);
    },
  };
}
