import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { gathered } from '../runtime/gather.ts';
import { dynamo, tableName } from './client.ts';
import type { Key } from './item-form.ts';
import { addReadUnits, unitsReported } from './read-units.ts';

/** An item to read, made by an entity's `getting`. */
export interface ReadPart<Item = unknown> {
  key: Key;
  parse: (raw: Record<string, unknown> | undefined) => Item | undefined;
}

type Parts = Readonly<Record<string, ReadPart>>;
type Found<P extends Parts> = { readonly [K in keyof P]: P[K] extends ReadPart<infer Item> ? Item | undefined : never };

/** Items of several kinds by key in one call, each by the name of its part; undefined: it does not exist. */
export const getTogether = async <const P extends Parts>(parts: P): Promise<Found<P>> => {
  const named = Object.entries<ReadPart>(parts);
  const found = await batchGet(named.map(([, { key }]) => key));
  return Object.fromEntries(named.map(([name, { key, parse }]) => [name, parse(found.get(keyText(key)))])) as Found<P>;
};

/** Reads an item together with others that are read within a moment, by one entity's `getting` or several. */
export const getSoon = <Item>(options: { consistent?: boolean } = {}): ((part: ReadPart<Item>) => Promise<Item | undefined>) =>
  gathered({ atMost: 100, withinMs: 2 }, async (parts) => {
    const found = await batchGet(
      parts.map(({ key }) => key),
      options,
    );
    return Promise.allSettled(parts.map(async ({ key, parse }) => parse(found.get(keyText(key)))));
  });

/** Any number of items by key. Keys that the table leaves unprocessed are requested again. */
export const batchGet = async (
  wanted: readonly Key[],
  options: { consistent?: boolean } = {},
): Promise<Map<string, Record<string, unknown>>> => {
  const keys = [...new Map(wanted.map((key) => [keyText(key), key])).values()];
  const found = new Map<string, Record<string, unknown>>();
  const slices = Array.from({ length: Math.ceil(keys.length / 100) }, (_, i) => keys.slice(i * 100, i * 100 + 100));
  await Promise.all(
    slices.map(async (slice) => {
      let left: Key[] = slice;
      for (let attempt = 0; left.length > 0; attempt++) {
        if (attempt > 0) await pause(attempt);
        const answer = await dynamo.send(
          new BatchGetCommand({
            ...unitsReported(),
            RequestItems: { [tableName()]: { Keys: left, ...(options.consistent ? { ConsistentRead: true } : {}) } },
          }),
        );
        addReadUnits(answer.ConsumedCapacity);
        for (const raw of answer.Responses?.[tableName()] ?? []) found.set(keyText(raw as unknown as Key), raw);
        left = (answer.UnprocessedKeys?.[tableName()]?.Keys ?? []) as Key[];
      }
    }),
  );
  return found;
};

export const keyText = ({ pk, sk }: Key): string => `${pk}|${sk}`;

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 20 * 2 ** attempt * (0.5 + Math.random() / 2)));
