import { type Actor, currentActor } from '../runtime/actor.ts';
import { any, atMost, type ChangeNode, type ConditionNode, missing } from './condition.ts';
import { ofOtherVersions, type WithOtherVersions } from './other-versions.ts';
import { type IndexName, tableSchema } from './schema.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** Index attributes of an item: an index left undefined does not hold it. */
export interface IndexKeys {
  list?: Key | undefined;
  assignee?: Key | undefined;
  due?: Key | undefined;
}

/** What of an entity's declaration decides how its items are stored. */
interface StorageRules<Id, Item, Indexed extends keyof Item> {
  name: string;
  key: (id: Id) => Key;
  indexedBy?: readonly Indexed[];
  indexes?: (item: Pick<Item, Indexed>) => IndexKeys;
  expiresAt?: (item: Item) => number | undefined;
  audited?: true;
}

/** How the items of an entity are stored and read back. */
export const formOf = <Id, Item, Indexed extends keyof Item>(
  spec: StorageRules<Id, Item, Indexed>,
  idOf: (item: Pick<Item, Indexed>) => Id,
  parse: (raw: unknown) => Item,
) => {
  const indexAttributes = (item: Pick<Item, Indexed>): Record<string, string | undefined> => {
    const keys = spec.indexes?.(item) ?? {};
    return Object.fromEntries(
      Object.entries(tableSchema.indexes).flatMap(([name, index]) => {
        const key = keys[name as IndexName];
        return [
          [index.partitionKey, key?.pk],
          [index.sortKey, key?.sk],
        ];
      }),
    );
  };
  /** Who makes the write, where the entity is audited. */
  const actor = (): { by?: Actor } => (spec.audited ? { by: currentActor() } : {});
  const storedOwn = (item: Item): Record<string, unknown> => {
    const { [ofOtherVersions]: _, ...own } = item as Item & WithOtherVersions;
    return {
      ...own,
      ...spec.key(idOf(item)),
      kind: spec.name,
      ...(spec.indexes ? indexAttributes(item) : {}),
      ...(spec.expiresAt ? { ttl: spec.expiresAt(item) } : {}),
      ...actor(),
    };
  };
  return {
    key: spec.key,
    idOf,
    parse,
    parseStored: (raw: Record<string, unknown> | undefined): Item | undefined =>
      raw === undefined || isExpired(raw) ? undefined : parse(raw),
    /** The whole item as the table holds it, keys and index attributes included, and what other versions know of it. */
    stored: (item: Item): Record<string, unknown> => ({ ...(item as WithOtherVersions)[ofOtherVersions], ...storedOwn(item) }),
    /** Of it what this version knows: what a write of differences compares. */
    storedOwn,
    /** Where a query goes on after an item: `after` of the query. The item needs only the attributes of `indexedBy`. */
    startKey: (item: Pick<Item, Indexed>, index?: IndexName): Record<string, unknown> => {
      const attributes = indexAttributes(item);
      const ofIndex = index ? [tableSchema.indexes[index].partitionKey, tableSchema.indexes[index].sortKey] : [];
      return { ...spec.key(idOf(item)), ...Object.fromEntries(ofIndex.map((name) => [name, attributes[name]])) };
    },
    /** The change with the index keys that follow from it, where the item is in an index before or after. */
    withIndexKeys: (seen: Pick<Item, Indexed>, change: ChangeNode): ChangeNode => {
      const removed = Object.fromEntries((change.remove ?? []).map((field) => [field, undefined]));
      const touched = { ...removed, ...change.set };
      if (!(spec.indexedBy ?? []).some((field) => (field as string) in touched)) return change;
      const before = indexAttributes(seen);
      const after = indexAttributes({ ...seen, ...touched });
      const moved = Object.entries(after).filter(([name, value]) => value !== undefined || before[name] !== undefined);
      return { ...change, set: { ...change.set, ...Object.fromEntries(moved) } };
    },
    actor,
    /** The condition of a put: an item that has expired is as good as none. */
    vacant: (condition: ConditionNode | undefined): ConditionNode | undefined =>
      condition && spec.expiresAt ? orLapsed(condition) : condition,
  };
};
export type Form<Id, Item, Indexed extends keyof Item> = ReturnType<typeof formOf<Id, Item, Indexed>>;

/** `missing()` also holds for an item that has expired and is still in the table. */
function orLapsed(condition: ConditionNode): ConditionNode {
  if (condition.kind === 'and' || condition.kind === 'or') return { ...condition, of: condition.of.map(orLapsed) };
  const testsForNone = condition.kind === 'missing' && condition.field === tableSchema.partitionKey;
  return testsForNone ? any(missing(), atMost(tableSchema.ttl, Math.floor(Date.now() / 1_000))) : condition;
}

export function isExpired(raw: Record<string, unknown>): boolean {
  return typeof raw['ttl'] === 'number' && raw['ttl'] * 1_000 <= Date.now();
}
