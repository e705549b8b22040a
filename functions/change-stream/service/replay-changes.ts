import type { DynamoDBRecord } from 'aws-lambda';
import type { Reaction } from '../../../shared/events/react.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { itemToWire } from '../../../shared/table/wire.ts';
import { changeWithin, creationTimeOf, type JournalRange } from '../domain.ts';
import { listCompanyPages, listPages } from '../store/company-items.ts';
import { requestReplay } from './set-aside.ts';
import { type DeliveryPart, deliveryParts } from './stream-record.ts';

/** How many items were created in the time, or may have changed in it; of all of them, how many a replay before had requested. */
export interface Replayed {
  created: number;
  changed: number;
  known: number;
}

/**
 * What the stream forgot before the consumer came to it, from the items themselves: of an item that was created in the time everything follows
 * but its rows, which a recount brings; of one that changed, its messages, whose workers do nothing twice. A repetition does nothing again.
 * See docs/decisions/replay-of-lost-changes.md.
 */
export const replayChanges = async (
  range: JournalRange,
  { companyId, reactions }: { companyId: number | undefined; reactions: readonly Reaction[] },
): Promise<Replayed> => {
  const kinds = new Set(reactions.filter(({ isSum }) => !isSum).map(({ to }) => to));
  const replayed: Replayed = { created: 0, changed: 0, known: 0 };
  for await (const { items } of companyId === undefined ? listPages() : listCompanyPages(companyId))
    for (const item of items) {
      const how = kinds.has(String(item['kind'])) ? changeWithin(item, range) : undefined;
      if (how === undefined) continue;
      replayed[how]++;
      const id = sha256(`${String(item['pk'])}|${String(item['sk'])}|${how === 'created' ? how : range.sinceMs}`);
      if (!(await requestReplay(id, creationOf(item, range), partsOf[how]))) replayed.known++;
    }
  return replayed;
};

const partsOf: Readonly<Record<'created' | 'changed', readonly DeliveryPart[]>> = {
  created: deliveryParts,
  changed: ['queues'],
};

/** The record that a creation of the item as it is now would have brought. */
const creationOf = (item: Record<string, unknown>, { sinceMs }: JournalRange): Omit<DynamoDBRecord, 'eventID'> => ({
  eventName: 'INSERT',
  dynamodb: {
    ApproximateCreationDateTime: Math.floor((creationTimeOf(item) ?? sinceMs) / 1_000),
    NewImage: itemToWire(item) as NonNullable<DynamoDBRecord['dynamodb']>['NewImage'] & object,
  },
});
