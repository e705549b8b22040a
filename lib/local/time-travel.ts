import { awsCall, dynamodb } from './aws-call.ts';
import type { Clock } from './clock.ts';
import { waitUntilIdle, type WorkSources } from './pending-work.ts';
import { listOf, objectOf, textOf } from './json.ts';
import type { TableResource } from './resources.ts';
import type { Schedules } from './schedules.ts';

export interface TimeTravelOptions {
  clock: Clock;
  schedules: Schedules;
  places: WorkSources;
  /** The next time, epoch ms after `after`, at which anything but a schedule becomes due. */
  nextDueAt(after: number, until: number): Promise<number | undefined>;
  /** Drops what has expired by then. */
  expire(): Promise<void>;
}

/**
 * Moves the product's time ahead as if it had passed: stops wherever something becomes due, lets it be done, goes on. What
 * becomes due within the same second is one stop. Returns when everything on the way is done.
 */
export const advanceClock = async (parts: TimeTravelOptions, seconds: number): Promise<void> => {
  const { clock, schedules, places } = parts;
  const arrival = clock.offset() + seconds * 1000;
  const realNow = (): number => clock.now() - clock.offset();
  const runDueWork = async (): Promise<void> => {
    await schedules.tick(true);
    await waitUntilIdle(places, 0, stopTimeoutMs);
  };
  await schedules.holding(async () => {
    const started = performance.now();
    await waitUntilIdle(places, 0, stopTimeoutMs);
    for (let stops = 0; stops < maxStops && performance.now() - started < maxTravelMs; stops++) {
      const target = realNow() + arrival;
      const due = await earliest(parts, clock.now(), target, seconds * 1000);
      if (due === undefined || due > target) break;
      clock.setOffset(Math.min(arrival, Math.max(due, clock.now() + 1000) - realNow()));
      await runDueWork();
    }
    clock.setOffset(arrival);
    await runDueWork();
    await parts.expire();
    await waitUntilIdle(places, 0, stopTimeoutMs);
  });
};

/** The earliest time an item of the table's due index falls due between two times; sort keys start with 15 digits of epoch ms. */
export const nextDueItem = async (url: string, table: TableResource, after: number, until: number): Promise<number | undefined> => {
  if (table.dueSortKey === undefined) return undefined;
  let earliestKey: string | undefined;
  let from: ReturnType<typeof objectOf> | undefined;
  do {
    const page = await awsCall(url, dynamodb('Scan'), {
      TableName: table.name,
      IndexName: 'due',
      ProjectionExpression: '#due',
      FilterExpression: '#due BETWEEN :after AND :until',
      ExpressionAttributeNames: { '#due': table.dueSortKey },
      ExpressionAttributeValues: { ':after': { S: sortableMs(after + 1) }, ':until': { S: `${sortableMs(until)}~` } },
      ...(from ? { ExclusiveStartKey: from } : {}),
    });
    for (const item of listOf(page.Items)) {
      const key = textOf(objectOf(objectOf(item)[table.dueSortKey]).S);
      if (key !== undefined && (earliestKey === undefined || key < earliestKey)) earliestKey = key;
    }
    from = page.LastEvaluatedKey ? objectOf(page.LastEvaluatedKey) : undefined;
  } while (from);
  return earliestKey === undefined ? undefined : Number(earliestKey.slice(0, 15));
};

const stopTimeoutMs = 30_000;
const maxTravelMs = 180_000;
const maxStops = 2000;
/** How often the schedules of one period may stop a journey; more frequent ones run at every stop anyway. */
const maxScheduleStops = 100;

const sortableMs = (ms: number): string => String(Math.floor(ms)).padStart(15, '0');

const earliest = async (parts: TimeTravelOptions, after: number, until: number, journeyMs: number): Promise<number | undefined> => {
  const due = await parts.nextDueAt(after, until);
  const schedule = parts.schedules.nextAt(Math.max(300_000, journeyMs / maxScheduleStops));
  if (due === undefined || schedule === undefined) return due ?? schedule;
  return Math.min(due, schedule);
};
