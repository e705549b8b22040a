import { tableSchema } from './schema.ts';

/**
 * Conditions and changes of a write as values. A condition carries the fields and values it tests in its type, so an entity accepts only
 * conditions on its own attributes: a misspelt field or a value of another type does not compile.
 */
export type ConditionNode =
  | { kind: 'exists' | 'missing'; field: string }
  | { kind: '=' | '<>' | '<' | '<=' | '>' | '>='; field: string; value: unknown }
  | { kind: 'in'; field: string; values: readonly unknown[] }
  | { kind: 'begins' | 'contains'; field: string; value: string }
  | { kind: 'and' | 'or'; of: readonly ConditionNode[] };

/** A condition with the union of `[field, value]` pairs it tests. The pairs exist only in the type. */
export type Condition<Tests> = ConditionNode & { readonly tests?: Tests };

/** The tests that items of a type allow. `exists()` and `missing()` without a field test the key. */
export type TestsOf<Item> =
  | { [K in keyof Known<Item>]-?: [K, NonNullable<Known<Item>[K]>] }[keyof Known<Item>]
  | [typeof tableSchema.partitionKey, never]
  | (string extends keyof Item ? [CounterField, number] : never);
export type ConditionOn<Item> = Condition<TestsOf<Item>>;

/** A field of an entity whose schema is open (`looseObject`): the name of a counter, then its window or subject. */
export type CounterField = `${string}:${string}`;

/** The declared attributes of an item, without the index signature of an open schema. */
export type Known<Item> = { [K in keyof Item as string extends K ? never : K]: Item[K] };

/** A field of two possible names is a test of each. */
type On<F extends string, V> = Condition<F extends unknown ? [F, V] : never>;
type TestsIn<C> = C extends { readonly tests?: infer T } ? T : never;
type Key = typeof tableSchema.partitionKey;

export const exists: {
  (): On<Key, never>;
  <const F extends string>(field: F): On<F, never>;
} = (field: string = tableSchema.partitionKey) => ({ kind: 'exists' as const, field });
export const missing: {
  (): On<Key, never>;
  <const F extends string>(field: F): On<F, never>;
} = (field: string = tableSchema.partitionKey) => ({ kind: 'missing' as const, field });

export const equals = <const F extends string, const V>(field: F, value: V): On<F, V> => ({ kind: '=', field, value });
export const differs = <const F extends string, const V>(field: F, value: V): On<F, V> => ({ kind: '<>', field, value });
export const below = <const F extends string, const V>(field: F, value: V): On<F, V> => ({ kind: '<', field, value });
export const atMost = <const F extends string, const V>(field: F, value: V): On<F, V> => ({ kind: '<=', field, value });
export const above = <const F extends string, const V>(field: F, value: V): On<F, V> => ({ kind: '>', field, value });
export const atLeast = <const F extends string, const V>(field: F, value: V): On<F, V> => ({ kind: '>=', field, value });
export const oneOf = <const F extends string, const V>(field: F, values: readonly V[]): On<F, V> => ({ kind: 'in', field, values });

/** The field is as it was read: it has this value, or it is missing where it was missing. */
export const unchanged = <const F extends string, const V>(field: F, value: V): On<F, NonNullable<V>> =>
  value === undefined || value === null ? { kind: 'missing', field } : { kind: '=', field, value };

export const all = <const C extends readonly Condition<unknown>[]>(...of: C): Condition<TestsIn<C[number]>> => ({ kind: 'and', of });
export const any = <const C extends readonly Condition<unknown>[]>(...of: C): Condition<TestsIn<C[number]>> => ({ kind: 'or', of });

/** What an update sets, adds and removes, by field name. A field set to undefined is removed. */
export interface ChangeNode {
  set?: Readonly<Record<string, unknown>> | undefined;
  setOnce?: Readonly<Record<string, unknown>> | undefined;
  add?: Readonly<Record<string, number | undefined>> | undefined;
  remove?: readonly string[] | undefined;
}

/**
 * An update of some attributes of an item. `Except` are the attributes that index keys depend on: `change` refuses them, `update` takes
 * them and derives the keys.
 */
export interface Change<Item, Except extends PropertyKey = never> {
  /** A field set to undefined is removed. */
  set?: Settable<Item, Except> | undefined;
  /** Set only if the field has no value yet. */
  setOnce?: Settable<Item, Except> | undefined;
  /** Added to the number that is there; to zero where there is none. */
  add?: Readonly<{ [K in Exclude<NumberFieldOf<Item>, Except>]?: number } & Counters<Item>> | undefined;
  remove?: readonly Removable<Item, Except>[] | undefined;
}

/** The fields that an update may remove. */
export type Removable<Item, Except extends PropertyKey = never> =
  | Exclude<keyof Known<Item>, Except>
  | (string extends keyof Item ? CounterField : never);

type Settable<Item, Except extends PropertyKey> = Readonly<
  { [K in Exclude<keyof Known<Item>, Except>]?: Known<Item>[K] | undefined } & {
    /** Where the update may create the item: the entity's name, and when the item expires. */
    kind?: string;
    ttl?: number;
  } & Counters<Item>
>;
type NumberFieldOf<Item> = { [K in keyof Known<Item>]-?: NonNullable<Known<Item>[K]> extends number ? K : never }[keyof Known<Item>];
type Counters<Item> = string extends keyof Item ? { [field: CounterField]: number } : unknown;

export interface Expression {
  text: string;
  names: Record<string, string>;
  values: Record<string, unknown>;
}

/** Collects the placeholders of one request. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};
  #byName = new Map<string, string>();

  name(field: string): string {
    const known = this.#byName.get(field);
    if (known) return known;
    const placeholder = `#n${this.#byName.size}`;
    this.#byName.set(field, placeholder);
    this.names[placeholder] = field;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  condition(condition: ConditionNode): string {
    switch (condition.kind) {
      case 'exists':
        return `attribute_exists(${this.name(condition.field)})`;
      case 'missing':
        return `attribute_not_exists(${this.name(condition.field)})`;
      case 'begins':
        return `begins_with(${this.name(condition.field)}, ${this.value(condition.value)})`;
      case 'contains':
        return `contains(${this.name(condition.field)}, ${this.value(condition.value)})`;
      case 'in':
        return `${this.name(condition.field)} IN (${condition.values.map((value) => this.value(value)).join(', ')})`;
      case 'and':
      case 'or':
        return `(${condition.of.map((part) => this.condition(part)).join(condition.kind === 'and' ? ' AND ' : ' OR ')})`;
      case '=':
      case '<>':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return `${this.name(condition.field)} ${condition.kind} ${this.value(condition.value)}`;
    }
  }

  change(change: ChangeNode): string {
    const sets = Object.entries(change.set ?? {});
    const set = [
      ...sets.filter(([, value]) => value !== undefined).map(([field, value]) => `${this.name(field)} = ${this.value(value)}`),
      ...Object.entries(change.setOnce ?? {}).map(
        ([field, value]) => `${this.name(field)} = if_not_exists(${this.name(field)}, ${this.value(value)})`,
      ),
    ];
    const remove = [...sets.filter(([, value]) => value === undefined).map(([field]) => field), ...(change.remove ?? [])].map((field) =>
      this.name(field),
    );
    const add = Object.entries(change.add ?? {}).map(([field, value]) => `${this.name(field)} ${this.value(value)}`);
    return [
      set.length ? `SET ${set.join(', ')}` : '',
      remove.length ? `REMOVE ${remove.join(', ')}` : '',
      add.length ? `ADD ${add.join(', ')}` : '',
    ]
      .filter(Boolean)
      .join(' ');
  }
}

/** The placeholders as fields of a request. */
export const placeholderFields = (
  p: Placeholders,
): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Record<string, unknown> } => ({
  ...(Object.keys(p.names).length ? { ExpressionAttributeNames: p.names } : {}),
  ...(Object.keys(p.values).length ? { ExpressionAttributeValues: p.values } : {}),
});
