import type { LoggedEvent } from '../../../shared/contract/logged-event.ts';
import type { Scope } from '../../../shared/contract/route.ts';
import { logCheckpoints } from '../../../shared/events/checkpoints.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
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
): LoggedChange[] => changes.filter(({ sequence }) => logCheckpoints.isNew(checkpoints, { shardId, sequence }, confirmed));

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
  const { sequence, writtenAt } = taken.at(-1) ?? { sequence: '0', writtenAt: 0 };
  return {
    item: {
      companyId,
      place,
      events: taken.flatMap(({ events, writtenAt: at }) =>
        events.map((event) => ({ ...event, by: { ...event.by }, data: { ...event.data }, at })),
      ),
      checkpoints: logCheckpoints.withCheckpoint(tail.checkpoints, { shardId, sequence, writtenAt }),
      until: Math.ceil((writtenAt + logDays * dayMs) / 1_000),
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
  lead: 'crm:read',
  task: 'crm:read',
  number: 'account:read',
};

export const scopeOfType = (type: string): Scope => scopeOfFamily[type.split('.')[0] ?? ''] ?? 'audit:read';

export const isOfTypes = (type: string, types: readonly string[] | undefined): boolean =>
  types === undefined || types.some((each) => each === type || (each.endsWith('.*') && type.startsWith(each.slice(0, -1))));
