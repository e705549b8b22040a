import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { JournaledChange, StoredImage } from '../contract/journal.ts';
import { canonical } from '../runtime/json.ts';
import { inParallel } from '../runtime/parallel.ts';
import { batchGet, keyText } from './batch-get.ts';
import { dynamo, tableName } from './client.ts';
import { isExpired } from './item-form.ts';
import { pattern } from './pattern.ts';
import { ownCopy } from './restored-copy.ts';
import { restoredAttribute } from './schema.ts';

/**
 * Whether a restore made the change. From it only projections follow, because messages and events followed when the item was first written.
 */
export const isRestoredChange = (before: StoredImage | undefined, after: StoredImage | undefined): boolean =>
  after?.[restoredAttribute] !== undefined && after[restoredAttribute] !== before?.[restoredAttribute];

/** Items as they were stored last; one that was removed is removed again. Returns how many were different. */
export const restoreItems = pattern(
  {
    question: 'items of the journal come back into a restored table',
    entity: 'any',
    by: 'PutItem',
    units: '1 RRU and 1 WRU a KB, by the operator after a restore',
  },
  async (changes: readonly JournaledChange[]): Promise<number> => {
    const stored = await batchGet(
      changes.map(({ key }) => key),
      { consistent: true },
    );
    const different = changes.filter(({ key, image }) => !isAsStored(stored.get(keyText(key)), image));
    await inParallel(different, 16, ({ key, image }) =>
      image
        ? dynamo.send(new PutCommand({ TableName: tableName(), Item: { ...image, [restoredAttribute]: ownCopy() ?? 'restored' } }))
        : dynamo.send(new DeleteCommand({ TableName: tableName(), Key: key })),
    );
    return different.length;
  },
);

/** An item that has expired since stays away; one that counts its revisions goes only forward. */
function isAsStored(stored: StoredImage | undefined, image: StoredImage | undefined): boolean {
  if (!image) return stored === undefined;
  if (isExpired(image)) return true;
  return stored !== undefined && (Number(stored['rev']) > Number(image['rev']) || textOf(stored) === textOf(image));
}

function textOf({ [restoredAttribute]: _copy, ...item }: StoredImage): string {
  return canonical(item);
}
