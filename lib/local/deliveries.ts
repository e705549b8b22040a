import { deliveryLine } from './console.ts';
import { FunctionProblem } from './environment.ts';
import type { FaultPlan } from './faults.ts';
import type { CrashPoint, FunctionPool } from './functions.ts';
import type { DeliveryScheduler } from './delivery-scheduler.ts';
import { asText, type Json, type JsonObject } from './json.ts';

export interface Delivery {
  /** For the console: queue, stream, schedule, bus. */
  from: string;
  pool: FunctionPool;
  records: readonly JsonObject[];
  event: (records: readonly JsonObject[]) => Json;
  /** A shard's records come in order and one batch after the other on AWS, whatever happens: faults keep to that. */
  ordered: boolean;
  /** False where an injected crash would cost the last attempt: a fault may repeat work, never lose it. */
  mayCrash: boolean;
}

/** Hands batches to functions, with the faults in force, and prints a line for each. */
export interface Deliveries {
  /** Deliveries that are under way. */
  active(): number;
  /** The function's result; throws its FunctionProblem. */
  deliver(delivery: Delivery): Promise<Json>;
}

export const deliveriesWith = (
  plan: FaultPlan,
  scheduler: Pick<DeliveryScheduler, 'runDelivery'>,
  log: (line: string) => void,
): Deliveries => {
  let active = 0;
  const once = async ({ from, pool, event }: Delivery, records: readonly JsonObject[], crash: CrashPoint | undefined): Promise<Json> => {
    const started = performance.now();
    const say = (outcome: string): void => log(deliveryLine(from, pool.name, records.length, outcome, performance.now() - started));
    try {
      const result = await scheduler.runDelivery(pool.name, () => pool.invoke(event(records), crash));
      const failed = failedItems(result).length;
      say(failed === 0 ? 'ok' : `failed ${failed}`);
      return result;
    } catch (error) {
      say(`failed (${error instanceof FunctionProblem ? error.errorType : 'error'}: ${firstLine(error)})`);
      throw error;
    }
  };
  const faulty = async (delivery: Delivery): Promise<Json> => {
    const { faults } = plan;
    if (faults.delay_ms > 0) await pause(faults.delay_ms);
    let { records } = delivery;
    if (plan.hits(faults.reorder)) {
      if (!delivery.ordered) records = shuffled(records, plan);
      await pause(plan.pick(200));
    }
    const crash = (): CrashPoint | undefined => (delivery.mayCrash ? plan.crashPoint() : undefined);
    if (!plan.hits(faults.duplicate)) return once(delivery, records, crash());
    const first = once(delivery, records, crash());
    if (delivery.ordered || plan.pick(2) === 0) await first;
    const [, second] = await Promise.all([first, once(delivery, records, crash())]);
    return second;
  };
  return {
    active: () => active,
    deliver: async (delivery) => {
      active++;
      try {
        return await faulty(delivery);
      } finally {
        active--;
      }
    },
  };
};

/** The identifiers a handler reported in `batchItemFailures`. */
export const failedItems = (result: Json): string[] => {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return [];
  const failures = result.batchItemFailures;
  if (!Array.isArray(failures)) return [];
  return failures.map((each) => (typeof each === 'object' && each !== null && !Array.isArray(each) ? asText(each.itemIdentifier) : ''));
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const shuffled = (records: readonly JsonObject[], plan: FaultPlan): JsonObject[] =>
  records
    .map((record) => ({ record, place: plan.pick(1_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ record }) => record);

const firstLine = (error: unknown): string => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/\d{4,}(?=\d{4})/g, '***').slice(0, 200);
};
