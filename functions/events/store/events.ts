import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import { storedEvents, type StoredEvents } from '../contract/stored.ts';

export const eventsEntity = entity({
  name: 'events',
  purpose: 'Some events of a company, in the order of the log; written once by the stream consumer',
  attributes: storedEvents,
  key: ({ companyId, place }: { companyId: number; place: number }) => ({ pk: partition(companyId), sk: sortable(place) }),
  idOf: ({ companyId, place }) => ({ companyId, place }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#EVENTS', sk: '<place>' },
});

/** Where the log begins again after all of it has expired, so that places only grow. */
const logStartEntity = entity({
  name: 'event-log-start',
  purpose: 'The first place of the present event log of a company',
  attributes: z.object({ companyId: z.int(), place: z.int() }),
  key: ({ companyId }: { companyId: number }) => ({ pk: `${tenant(companyId)}#EVENTS_START`, sk: 'START' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#EVENTS_START', sk: 'START' },
});

export const getLastEvents = pattern(
  { question: 'the end of the event log', entity: 'events', by: 'Query', units: '1 RRU for 4 KB, consistently' },
  async (companyId: number): Promise<StoredEvents | undefined> =>
    (await eventsEntity.collect({ pk: partition(companyId), descending: true, consistent: true }, { atMost: 1 }))[0],
);

/** Refused where an item is at this place already. */
export const createEvents = pattern(
  { question: 'events behind the last ones of the log', entity: 'events', by: 'PutItem', units: '1 WRU per KB' },
  async (item: StoredEvents): Promise<boolean> => (await eventsEntity.put(item, missing())).done,
);

/** The first place of a log without items: the one that another writer has chosen, unless it is of a log that has expired since. */
export const startLog = pattern(
  { question: 'where an empty event log begins', entity: 'event-log-start', by: 'PutItem', units: '1 RRU and 1 WRU, once in 30 days' },
  async (companyId: number, at: number, expiredBefore: number): Promise<number> => {
    const known = await logStartEntity.get({ companyId }, { consistent: true });
    if (known && known.place > expiredBefore) return known.place;
    const written = await logStartEntity.put({ companyId, place: at }, known ? equals('place', known.place) : missing());
    return written.done ? at : (written.current?.place ?? at);
  },
);

/** Oldest first from a place on, or newest first up to it. */
export const listEventItems = pattern(
  { question: 'events from a place on, or before it', entity: 'events', by: 'Query', units: '0.5 RRU for 4 KB (about 20 events)' },
  (
    companyId: number,
    range: { from: number } | { upTo: number },
    options: { atMost: number; consistent?: boolean },
  ): Promise<StoredEvents[]> =>
    eventsEntity.collect(
      {
        pk: partition(companyId),
        ...('from' in range
          ? { between: [sortable(range.from), sortable(lastPlace)] as const }
          : { between: [sortable(0), sortable(range.upTo)] as const, descending: true }),
        ...(options.consistent ? { consistent: true } : {}),
      },
      { atMost: options.atMost },
    ),
);
export const lastPlace = Number.MAX_SAFE_INTEGER;

function partition(companyId: number): string {
  return `${tenant(companyId)}#EVENTS`;
}
