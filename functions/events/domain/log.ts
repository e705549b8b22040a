import { createHash } from 'node:crypto';
import type { LoggedEvent } from '../../../shared/contract/logged-event.ts';
import type { Scope } from '../../../shared/contract/route.ts';
import { dayMs, hourMs } from '../../../shared/runtime/clock.ts';
import type { StoredEvents } from '../contract/stored.ts';

export const logDays = 30;

/** A record of the change stream with its events. */
export interface LoggedChange {
  sequence: string;
  /** Epoch milliseconds. */
  writtenAt: number;
  events: readonly LoggedEvent[];
}

type Tail = Pick<StoredEvents, 'place' | 'checkpoints'>;

/** The stream delivers nothing again after 24 hours. */
const checkpointHours = 30;

/** An item with more checkpoints than this drops those of shards that have confirmed: docs/decisions/projections-from-the-stream.md */
export const maxCheckpoints = 4;

/** Marks a log that has dropped checkpoints: a shard without one may have confirmed. */
const dropped = '*';

/** A shard's name in the checkpoints: the one under which it confirms. */
const shardKey = (shardId: string): string => createHash('sha256').update(shardId).digest('base64url').slice(0, 8);

/** Whether only the shard's own item shows which of its records the log has. */
export const needsConfirmation = ({ checkpoints }: Pick<Tail, 'checkpoints'>, shardId: string): boolean =>
  checkpoints[dropped] !== undefined && checkpoints[shardKey(shardId)] === undefined;

/** The names of other shards in a log that has more checkpoints than it should, the shard's own included. */
export const surplusShards = ({ checkpoints }: Pick<Tail, 'checkpoints'>, shardId: string): string[] => {
  const others = Object.keys(checkpoints).filter((name) => name !== dropped && name !== shardKey(shardId));
  return others.length < maxCheckpoints ? [] : others;
};

/**
 * The changes whose events the log does not have yet: those behind the shard's checkpoint.
 *
 * @param confirmed up to which record the shard is done, where the log needs it
 */
export const newChanges = (
  { checkpoints }: Pick<Tail, 'checkpoints'>,
  shardId: string,
  changes: readonly LoggedChange[],
  confirmed?: bigint,
): LoggedChange[] => {
  const own = checkpoints[shardKey(shardId)];
  const last = own ? BigInt(own.sequence) : checkpoints[dropped] === undefined ? undefined : confirmed;
  return last === undefined ? [...changes] : changes.filter(({ sequence }) => BigInt(sequence) > last);
};

/** The checkpoints without those of shards that have confirmed as much. */
export const withoutConfirmed = (checkpoints: Tail['checkpoints'], confirmed: ReadonlyMap<string, bigint>): Tail['checkpoints'] => {
  const left = Object.entries(checkpoints).filter(([name, { sequence }]) => {
    const upTo = confirmed.get(name);
    return upTo === undefined || BigInt(sequence) > upTo;
  });
  return left.length === Object.keys(checkpoints).length
    ? checkpoints
    : { ...Object.fromEntries(left), [dropped]: { sequence: '0', hour: 0 } };
};

/** What is written behind the last item: as many changes as fit about 4 KB, so that reading the end of the log costs one unit. */
export const nextItem = (
  companyId: number,
  place: number,
  tail: Pick<Tail, 'checkpoints'>,
  shardId: string,
  changes: readonly LoggedChange[],
): { item: StoredEvents; rest: LoggedChange[] } => {
  let size = 0;
  const taken = changes.filter(({ events }, nth) => {
    size += JSON.stringify(events).length;
    return nth === 0 || size < maxItemChars;
  });
  const last = taken.at(-1);
  const hour = Math.floor((last?.writtenAt ?? 0) / hourMs);
  const recent = Object.entries(tail.checkpoints).filter(
    ([name, checkpoint]) => name === dropped || checkpoint.hour >= hour - checkpointHours,
  );
  return {
    item: {
      companyId,
      place,
      events: taken.flatMap(({ events, writtenAt }) =>
        events.map((event) => ({ ...event, by: { ...event.by }, data: { ...event.data }, at: writtenAt })),
      ),
      checkpoints: { ...Object.fromEntries(recent), [shardKey(shardId)]: { sequence: last?.sequence ?? '0', hour } },
      until: Math.ceil(((last?.writtenAt ?? 0) + logDays * dayMs) / 1_000),
    },
    rest: changes.slice(taken.length),
  };
};
const maxItemChars = 3_000;

/** A place in the log: an item, and of it the event behind which to go on; none: all of it. */
export interface EventPlace {
  item: number;
  nth: number | undefined;
}

export const parsePlace = (text: string): EventPlace => {
  const [item = '0', nth] = text.split('.');
  return { item: Number(item), nth: nth === undefined ? undefined : Number(nth) };
};

export const formatPlace = ({ item, nth }: EventPlace): string => (nth === undefined ? String(item) : `${item}.${nth}`);

/** By the family of a type; all others are of the account, and for its admins. */
const scopeOfFamily: Readonly<Record<string, Scope>> = {
  message: 'conversations:read',
  conversation: 'conversations:read',
  contact: 'contacts:read',
  campaign: 'campaigns:read',
  template: 'templates:read',
  order: 'shop:read',
  cart: 'shop:read',
  number: 'account:read',
};

export const scopeOfType = (type: string): Scope => scopeOfFamily[type.split('.')[0] ?? ''] ?? 'audit:read';

export const isOfTypes = (type: string, types: readonly string[] | undefined): boolean =>
  types === undefined || types.some((each) => each === type || (each.endsWith('.*') && type.startsWith(each.slice(0, -1))));
