import type { LoggedEvent } from '../../../shared/contract/logged-event.ts';
import type { Queue } from '../../../shared/contract/queue.ts';
import type { Consequence } from '../../../shared/events/react.ts';
import { shardName } from '../../../shared/events/checkpoints.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { publish } from '../../../shared/events/publish.ts';
import { setting } from '../../../shared/runtime/env.ts';
import { isRefusedForGood } from '../../../shared/runtime/refused-for-good.ts';
import { type Outgoing, send } from '../../../shared/queue/send.ts';
import { appendEvents, type LoggedChange } from '../../events/service/append-events.ts';
import { enqueueEventsForEndpoints } from '../../webhooks/service/enqueue-events.ts';
import { getConfirmed, listConfirmed } from '../store/shard.ts';
import { isBusy, soonEnough } from './slow-write.ts';
import { type DeliveryPart, isLeft, type RefusedConsequence, type StreamRecord } from './stream-record.ts';

/** What came of a part. */
export interface Delivered {
  refused: readonly RefusedConsequence[];
  /** Companies whose log takes no writes for now. */
  slow: ReadonlySet<number>;
  shouldConfirm: boolean;
}

type Outcome = Pick<Delivered, 'slow' | 'shouldConfirm'>;
const nothing: Outcome = { slow: new Set(), shouldConfirm: false };

/**
 * Does a part of all changes that it is left of. Where that is refused for good, each half by itself and in order, down to the changes whose
 * part it is; a repetition of the others is harmless.
 */
export const deliverPart = (
  part: DeliveryPart,
  records: readonly StreamRecord[],
  deliver: (records: readonly StreamRecord[]) => Promise<Outcome | void>,
): Promise<Delivered> => {
  const inHalves = async (own: readonly StreamRecord[]): Promise<Delivered> => {
    try {
      return { refused: [], ...nothing, ...(await deliver(own)) };
    } catch (error) {
      const [record] = own;
      if (!isRefusedForGood(error) || record === undefined) throw error;
      if (own.length === 1) return { refused: [{ record, part, error }], ...nothing };
      const middle = Math.ceil(own.length / 2);
      const first = await inHalves(own.slice(0, middle));
      const second = await inHalves(own.slice(middle));
      return {
        refused: [...first.refused, ...second.refused],
        slow: new Set([...first.slow, ...second.slow]),
        shouldConfirm: first.shouldConfirm || second.shouldConfirm,
      };
    }
  };
  return inHalves(records.filter((record) => isLeft(record, part)));
};

export const enqueueMessages = async (records: readonly StreamRecord[]): Promise<void> => {
  const byQueue = new Map<Queue, Outgoing[]>();
  for (const consequence of records.flatMap(({ consequences }) => consequences)) {
    if (consequence.kind !== 'message') continue;
    const { queue, companyId, message, delaySeconds } = consequence;
    byQueue.set(queue, [...(byQueue.get(queue) ?? []), { companyId, message, ...(delaySeconds ? { delaySeconds } : {}) }]);
  }
  await Promise.all([...byQueue].map(([queue, messages]) => send(queue, messages)));
};

/** On the domain bus, for rules of the operator's; where there are none, an event would cost and reach no one. */
export const publishEvents = async (records: readonly StreamRecord[]): Promise<void> => {
  if (setting('PUBLISH_EVENTS') !== 'true') return;
  const events = records.flatMap(({ eventId, consequences }) =>
    consequences.flatMap((each, index) =>
      each.kind === 'event' ? [{ event: each.event, companyId: each.companyId, detail: each.detail, id: `${eventId}-${index}` }] : [],
    ),
  );
  if (events.length > 0) await publish(events);
};

/**
 * For the endpoints that subscribe. The id of an event follows from its change, its name and its place among the change's events of that
 * name, so another event of the same change does not alter it.
 */
export const enqueueWebhooks = async (records: readonly StreamRecord[]): Promise<void> => {
  const events = records.flatMap(({ eventId, position, consequences }) => {
    const countByName = new Map<string, number>();
    return consequences.flatMap((each) => {
      if (each.kind !== 'event') return [];
      const { event, companyId } = each;
      const nth = countByName.get(event.name) ?? 0;
      countByName.set(event.name, nth + 1);
      const data = each.detail as Record<string, unknown>;
      const changeId = `${eventId}:${event.name}:${nth}`;
      return [{ event: event.name, companyId, data, changeId, sequence: position.sequence, writtenAtMs: position.writtenAt }];
    });
  });
  await enqueueEventsForEndpoints(events);
};

/** The events of a batch that stand in the logs of their companies, and whether the shard is to confirm the batch (appendEvents). */
export const logEvents = async (records: readonly StreamRecord[], shardId: string): Promise<Outcome> => {
  const byCompany = new Map<number, LoggedChange[]>();
  const logged = new Map<string, number>();
  for (const { position, consequences } of withoutRepeatedProgress(records, logged)) {
    const events = new Map<number, LoggedEvent[]>();
    for (const { companyId, event } of consequences) events.set(companyId, [...(events.get(companyId) ?? []), event]);
    const { sequence, writtenAt } = position;
    for (const [companyId, each] of events)
      byCompany.set(companyId, [...(byCompany.get(companyId) ?? []), { sequence, writtenAt, events: each }]);
  }
  const shard = { shardId, getConfirmed: () => getConfirmed(shardName(shardId)), listConfirmed };
  const appended = await Promise.allSettled(
    [...byCompany].map(([companyId, changes]) => soonEnough(appendEvents(companyId, shard, changes))),
  );
  const slow = new Set<number>();
  for (const [index, companyId] of [...byCompany.keys()].entries()) {
    const each = appended[index];
    if (each?.status !== 'rejected') continue;
    if (!isBusy(each.reason) || !areAllOf(companyId, records)) throw each.reason;
    slow.add(companyId);
  }
  if (progressLoggedAt.size > 10_000) progressLoggedAt.clear();
  for (const [key, at] of logged) progressLoggedAt.set(key, at);
  return { slow, shouldConfirm: appended.some((each) => each.status === 'fulfilled' && each.value) };
};

/** Whether what a company's log is to get comes from changes of the company itself. */
const areAllOf = (companyId: number, records: readonly StreamRecord[]): boolean =>
  records.every(
    (record) => record.companyId === companyId || !record.consequences.some((each) => 'companyId' in each && each.companyId === companyId),
  );

interface LogLine {
  companyId: number;
  event: LoggedEvent;
  oncePerSecond?: true;
}

/** By type and subject: the second whose progress this process has logged. */
const progressLoggedAt = processMap<string, number>();

/** Of what is logged once a second, the last line of a second in the batch, unless the process has one of that second. */
function withoutRepeatedProgress(
  records: readonly StreamRecord[],
  logged: Map<string, number>,
): { position: StreamRecord['position']; consequences: LogLine[] }[] {
  const keyOf = ({ companyId, event }: LogLine): string => `${companyId} ${event.type} ${event.subject}`;
  return records
    .toReversed()
    .map(({ position, consequences }) => ({
      position,
      consequences: consequences.flatMap(logLinesOf).filter((line) => {
        if (!line.oncePerSecond) return true;
        const key = keyOf(line);
        if (logged.get(key) === position.writtenAt || progressLoggedAt.get(key) === position.writtenAt) return false;
        logged.set(key, Math.max(logged.get(key) ?? 0, position.writtenAt));
        return true;
      }),
    }))
    .toReversed();
}

/** What the log of a company has of a consequence. */
export function logLinesOf(consequence: Consequence): LogLine[] {
  if (consequence.kind === 'log') return [consequence];
  if (consequence.kind !== 'event') return [];
  const { event, companyId } = consequence;
  const data = consequence.detail as Record<string, unknown>;
  const line = event.log?.(data);
  return line ? [{ companyId, event: { type: event.name, data, ...line } }] : [];
}
