import { DatabaseSync } from 'node:sqlite';
import { tableSchema } from '../../shared/table/schema.ts';
import { isObject, type JsonObject, listOf, objectOf, parseJson, textOf } from './json.ts';

/**
 * What the table may still show of a moment ago: an index follows its items late, and an eventually consistent read may not know the last
 * writes. The emulator shows everything at once, so its answers are taken back to that moment, by the changes that it records.
 */
export interface EarlierVersions {
  /** Notes what was written until now. */
  look(): void;
  /** An answer as it would have been so many milliseconds ago. */
  ago(ms: number, operation: string, request: JsonObject, answer: JsonObject): JsonObject;
  close(): void;
}

/** An item before a change; undefined: there was none. */
interface Earlier {
  image: JsonObject | undefined;
  until: number;
}

/** @param longestMs nothing is taken back further */
export const openEarlierVersions = (file: string, { now, longestMs }: { now: () => number; longestMs: () => number }): EarlierVersions => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const changes = database.prepare('SELECT id, keys_json AS keys, old_image AS old FROM _stream_records WHERE id > ? ORDER BY id');
  const newest = database.prepare('SELECT MAX(id) AS id FROM _stream_records');
  const versions = new Map<string, Earlier[]>();
  let seen = Number((newest.get() as { id: number | null }).id ?? 0);

  const readChanges = (): void => {
    const at = now();
    for (const change of changes.all(seen) as { id: number; keys: string; old: string | null }[]) {
      seen = change.id;
      const key = keyOf(objectOf(parseJson(change.keys)));
      const image = change.old === null ? undefined : objectOf(parseJson(change.old));
      versions.set(key, [...(versions.get(key) ?? []), { image, until: at }]);
    }
    for (const [key, all] of versions) {
      const left = all.filter(({ until }) => until > at - longestMs());
      if (left.length > 0) versions.set(key, left);
      else versions.delete(key);
    }
  };
  const pastAt = (moment: number): Past => ({
    itemAt: (key, current) => {
      const earlier = versions.get(key)?.find(({ until }) => until > moment);
      return earlier ? earlier.image : current;
    },
    changed: () => [...versions.keys()],
  });
  return {
    look: readChanges,
    ago: (ms, operation, request, answer) => {
      readChanges();
      const past = pastAt(now() - ms);
      if (operation === 'Query') return queried(past, request, answer);
      if (operation === 'GetItem') return gotten(past, request, answer);
      return operation === 'BatchGetItem' ? gottenInBulk(past, request, answer) : answer;
    },
    close: () => database.close(),
  };
};

/** The table at a moment. */
interface Past {
  /** @param current the item as it is, which it is where nothing has changed since */
  itemAt: (key: string, current: JsonObject | undefined) => JsonObject | undefined;
  /** Keys of items that changed since, among others. */
  changed: () => string[];
}

const queried = ({ itemAt, changed }: Past, request: JsonObject, answer: JsonObject): JsonObject => {
  const wanted = keyCondition(request);
  const current = listOf(answer.Items).map(objectOf);
  const known = new Set(current.map(keyOf));
  const isIn = (item: JsonObject | undefined): item is JsonObject => item !== undefined && wanted.holds(item);
  const shown = current
    .map((item) => itemAt(keyOf(item), item))
    .filter(isIn)
    .filter((item) => current.includes(item) || wanted.isBetween(item, answer.LastEvaluatedKey));
  const gone = changed()
    .filter((key) => !known.has(key))
    .map((key) => itemAt(key, undefined))
    .filter(isIn)
    .filter((item) => wanted.isBetween(item, answer.LastEvaluatedKey));
  if (gone.length === 0 && shown.every((item, nth) => item === current[nth]) && shown.length === current.length) return answer;
  const page = [...shown, ...gone].toSorted(wanted.order);
  const limit = Number(request.Limit ?? Number.POSITIVE_INFINITY);
  const left = page.slice(0, limit);
  const last = left.at(-1);
  return {
    ...answer,
    Items: left.map(wanted.projected),
    Count: left.length,
    ...(page.length > limit && last ? { LastEvaluatedKey: wanted.keys(last) } : {}),
  };
};

const gotten = ({ itemAt }: Past, request: JsonObject, answer: JsonObject): JsonObject => {
  const { Item: current, ...rest } = answer;
  const item = itemAt(keyOf(objectOf(request.Key)), isObject(current) ? current : undefined);
  return item ? { ...rest, Item: item } : rest;
};

const gottenInBulk = ({ itemAt }: Past, request: JsonObject, answer: JsonObject): JsonObject => {
  const unprocessed = objectOf(answer.UnprocessedKeys);
  const Responses = Object.fromEntries(
    Object.entries(objectOf(request.RequestItems)).map(([table, request]) => {
      const { Keys, ConsistentRead } = objectOf(request);
      const current = new Map(listOf(objectOf(answer.Responses)[table]).map((item) => [keyOf(objectOf(item)), objectOf(item)]));
      if (ConsistentRead === true || unprocessed[table] !== undefined) return [table, [...current.values()]];
      const items = listOf(Keys).map((key) => itemAt(keyOf(objectOf(key)), current.get(keyOf(objectOf(key)))));
      return [table, items.filter((item) => item !== undefined)];
    }),
  );
  return { ...answer, Responses };
};

const text = (item: JsonObject, name: string): string | undefined => textOf(objectOf(item[name]).S);

const keyOf = (item: JsonObject): string => `${text(item, tableSchema.partitionKey)}\n${text(item, tableSchema.sortKey)}`;

/** A query's conditions on keys, in the three forms that shared/table/query.ts writes, and the order of its answer. */
function keyCondition(request: JsonObject) {
  const index = Object.entries(tableSchema.indexes).find(([name]) => name === request.IndexName)?.[1];
  const { partitionKey, sortKey } = index ?? tableSchema;
  const names = objectOf(request.ExpressionAttributeNames);
  const values = objectOf(request.ExpressionAttributeValues);
  const value = (placeholder = ''): string => textOf(objectOf(values[placeholder]).S) ?? '';
  const expression = (textOf(request.KeyConditionExpression) ?? '').replace(/#\w+/g, (name) => textOf(names[name]) ?? name);
  const partition = value(new RegExp(`\\b${partitionKey} = (:\\w+)`).exec(expression)?.[1]);
  const begins = new RegExp(`begins_with\\(${sortKey}, (:\\w+)\\)`).exec(expression)?.[1];
  const between = new RegExp(`\\b${sortKey} BETWEEN (:\\w+) AND (:\\w+)`).exec(expression);
  const direction = request.ScanIndexForward === false ? -1 : 1;
  const keyNames = [...new Set([sortKey, tableSchema.partitionKey, tableSchema.sortKey, partitionKey])];
  const order = (one: JsonObject, other: JsonObject): number => {
    for (const name of keyNames) {
      const [a, b] = [text(one, name) ?? '', text(other, name) ?? ''];
      if (a !== b) return a < b ? -direction : direction;
    }
    return 0;
  };
  const keys = (item: JsonObject): JsonObject => Object.fromEntries(keyNames.map((name) => [name, item[name] ?? null]));
  return {
    order,
    keys,
    holds: (item: JsonObject): boolean => {
      const place = text(item, sortKey);
      if (text(item, partitionKey) !== partition || place === undefined) return false;
      if (begins !== undefined && !place.startsWith(value(begins))) return false;
      return !between || (value(between[1]) <= place && place <= value(between[2]));
    },
    /** Behind the start of a page, and not behind its end. */
    isBetween: (item: JsonObject, last: unknown): boolean =>
      (!isObject(request.ExclusiveStartKey) || order(request.ExclusiveStartKey, item) < 0) && (!isObject(last) || order(item, last) < 0),
    projected: (item: JsonObject): JsonObject => (index?.projection === 'KEYS_ONLY' ? keys(item) : item),
  };
}
