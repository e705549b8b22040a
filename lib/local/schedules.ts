import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './data-folder.ts';
import type { Deliveries } from './deliveries.ts';
import type { FunctionPool } from './functions.ts';
import { type Json, numberOf, objectOf, parseJson } from './json.ts';
import { account, region } from './template.ts';

/** A rate(...) schedule and the function it wakes. */
export interface Schedule {
  id: string;
  everyMs: number;
  pool: FunctionPool;
  /** The event as text, which may hold Scheduler's placeholders; undefined for a rule's own scheduled event. */
  input: string | undefined;
}

/** Wakes functions by the product's clock; what was missed while the laptop slept or the clock jumped is made up for once. */
export interface Schedules {
  /** Runs those that are due; with `minutely`, also those of one minute whose turn is only near. */
  tick(minutely: boolean): Promise<void>;
  /** When the next schedule of at least this period is due, epoch ms. */
  nextAt(atLeastMs: number): number | undefined;
  /** Leaves the ticking to the caller while `work` runs. */
  holding<T>(work: () => Promise<T>): Promise<T>;
  /** After the time went back: each is due after its period at the latest, by the time that is now. */
  setBack(): void;
  start(): void;
  stop(): void;
}

/** The period of a rate expression in ms; undefined for what the laptop does not run (cron, one-time). */
export const periodOf = (expression: string): number | undefined => {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[unit as 'minute' | 'hour' | 'day'];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
};

export const schedulesOf = (schedules: readonly Schedule[], folder: string, deliveries: Deliveries): Schedules => {
  const file = join(folder, 'schedules.json');
  const stored = existsSync(file) ? objectOf(parseJson(readFileSync(file, 'utf8'))) : {};
  const next = new Map(schedules.map(({ id, everyMs }) => [id, numberOf(stored[id]) ?? Date.now() + Math.min(everyMs, firstTickMs)]));
  const running = new Map<string, Promise<void>>();
  let held = false;
  let timer: NodeJS.Timeout | undefined;

  const save = (): void => writeFileAtomically(file, JSON.stringify(Object.fromEntries(next)));
  const run = (schedule: Schedule): Promise<void> => {
    const already = running.get(schedule.id);
    if (already) return already;
    const event = eventOf(schedule, next.get(schedule.id) ?? Date.now());
    next.set(schedule.id, Date.now() + schedule.everyMs);
    save();
    const delivery = { from: 'schedule', pool: schedule.pool, records: [event], event: () => event, ordered: false, mayCrash: false };
    const work = deliveries
      .deliver(delivery)
      .then(
        () => {},
        () => {}, // printed; its next tick makes up for it
      )
      .finally(() => running.delete(schedule.id));
    running.set(schedule.id, work);
    return work;
  };
  const isDue = (schedule: Schedule, minutely: boolean): boolean =>
    (next.get(schedule.id) ?? 0) <= Date.now() || (minutely && schedule.everyMs <= 60_000);
  const tick = async (minutely: boolean): Promise<void> => {
    await Promise.all(schedules.filter((schedule) => isDue(schedule, minutely)).map(run));
  };
  return {
    tick,
    nextAt: (atLeastMs) => {
      const times = schedules.filter(({ everyMs }) => everyMs >= atLeastMs).map(({ id }) => next.get(id) ?? 0);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    holding: async (work) => {
      held = true;
      try {
        await Promise.all(running.values());
        return await work();
      } finally {
        held = false;
      }
    },
    setBack: () => {
      for (const { id, everyMs } of schedules) next.set(id, Math.min(next.get(id) ?? 0, Date.now() + everyMs));
      save();
    },
    start: () => {
      timer = setInterval(() => {
        if (!held) void tick(false);
      }, 200);
    },
    stop: () => clearInterval(timer),
  };
};

/** The first tick comes soon: work left over from an earlier run waits for it. */
const firstTickMs = 1000;

const eventOf = ({ id, input }: Schedule, dueAt: number): { [key: string]: Json } => {
  const time = new Date(dueAt).toISOString().replace(/\.\d+/, '');
  const arn = `arn:aws:scheduler:${region}:${account}:schedule/default/${id}`;
  if (input === undefined) {
    const header = { version: '0', id: randomUUID(), 'detail-type': 'Scheduled Event', source: 'aws.events', account, time, region };
    return { ...header, resources: [arn], detail: {} };
  }
  const filled = input
    .replaceAll('<aws.scheduler.scheduled-time>', time)
    .replaceAll('<aws.scheduler.schedule-arn>', arn)
    .replaceAll('<aws.scheduler.execution-id>', randomUUID())
    .replaceAll('<aws.scheduler.attempt-number>', '1');
  return objectOf(parseJson(filled));
};
