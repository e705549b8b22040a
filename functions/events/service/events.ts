import type { Principal } from '../../../shared/contract/route.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { roles } from '../../../shared/contract/route.ts';
import type { EventsQuery, LoggedEventRecord } from '../contract/event.ts';
import type { StoredEvent, StoredEvents } from '../contract/stored.ts';
import { type EventPlace, formatPlace, isOfTypes, parsePlace, scopeOfType } from '../domain/log.ts';
import { lastPlace, listEventItems } from '../store/events.ts';

export interface EventPage {
  events: LoggedEventRecord[];
  hasMore: boolean;
  nextCursor: string;
}

/** Items that a call reads at most; what it did not get to, the next call gets from the cursor. */
const maxItems = 200;

/** Events behind a place, oldest first, or before it, or the newest ones. An empty answer costs half a unit. */
export const listEvents = async (caller: Principal, query: EventsQuery): Promise<EventPage> => {
  const isShown = filterOf(caller, query);
  return query.after === undefined ? listBackwards(caller.companyId, query, isShown) : listForwards(caller.companyId, query, isShown);
};

type Filter = (event: StoredEvent) => boolean;

async function listForwards(companyId: number, { after = '0', limit }: EventsQuery, isShown: Filter): Promise<EventPage> {
  const begin = parsePlace(after);
  const items = await itemsBehind(companyId, begin);
  const events: LoggedEventRecord[] = [];
  let reached: EventPlace = begin;
  for (const item of items) {
    for (const [nth, event] of item.events.entries()) {
      if (item.place === begin.item && begin.nth !== undefined && nth <= begin.nth) continue;
      if (events.length === limit) return { events, hasMore: true, nextCursor: formatPlace(reached) };
      if (isShown(event)) events.push(toRecord(item.place, nth, event));
      reached = { item: item.place, nth };
    }
    reached = { item: item.place, nth: undefined };
  }
  return { events, hasMore: items.length === maxItems, nextCursor: formatPlace(reached) };
}

/** A moment-old read may end early and is continued by the next call; one with a gap, of which the log has none, is read again. */
async function itemsBehind(companyId: number, { item, nth }: EventPlace): Promise<StoredEvents[]> {
  const from = nth === undefined ? item + 1 : item;
  const items = await listEventItems(companyId, { from }, { atMost: maxItems });
  const isWhole = items.every(({ place }, index) => place === from + index);
  return isWhole ? items : listEventItems(companyId, { from }, { atMost: maxItems, consistent: true });
}

/** The page's events are oldest first, as everywhere; without `before` its cursor is the end of the log. */
async function listBackwards(companyId: number, { before, limit }: EventsQuery, isShown: Filter): Promise<EventPage> {
  const end = before === undefined ? { item: lastPlace, nth: undefined } : parsePlace(before);
  const items = await listEventItems(
    companyId,
    { upTo: end.nth === undefined && before !== undefined ? end.item - 1 : end.item },
    { atMost: before === undefined ? limit : maxItems },
  );
  const events: LoggedEventRecord[] = [];
  let reached: EventPlace = end;
  let isFull = false;
  for (const item of items) {
    for (const [nth, event] of [...item.events.entries()].toReversed()) {
      if (isFull || (item.place === end.item && end.nth !== undefined && nth >= end.nth)) continue;
      if (isShown(event)) events.push(toRecord(item.place, nth, event));
      reached = { item: item.place, nth };
      isFull = events.length === limit;
    }
  }
  const [newest] = items;
  const hasMore = isFull || items.length === maxItems;
  return {
    events: events.toReversed(),
    hasMore,
    nextCursor:
      before === undefined
        ? formatPlace({ item: newest?.place ?? 0, nth: undefined })
        : formatPlace(reached.item === lastPlace ? { item: 0, nth: undefined } : reached),
  };
}

function filterOf({ scopes, role }: Principal, { types, subject }: EventsQuery): Filter {
  const wanted = types?.split(',');
  return (event) => {
    const scope = scopeOfType(event.type);
    const mayRead = scopes.includes(scope) && (scope !== 'audit:read' || roles.indexOf(role) >= roles.indexOf('admin'));
    return mayRead && isOfTypes(event.type, wanted) && (subject === undefined || event.subject === subject);
  };
}

const toRecord = (place: number, nth: number, { type, subject, data, by, at }: StoredEvent): LoggedEventRecord => ({
  id: formatPlace({ item: place, nth }),
  type,
  subject,
  data,
  by: { kind: by.kind, user_id: by.userId ?? null, credential_id: by.credentialId ?? null },
  at: isoTime(at),
});
