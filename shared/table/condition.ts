/**
 * Conditions and updates as values, so that stores say what guards a write and never spell an expression.
 */
export type Condition =
  | { kind: 'exists' | 'missing'; field: string }
  | { kind: '=' | '<>' | '<' | '<=' | '>' | '>='; field: string; value: unknown }
  | { kind: 'in'; field: string; values: readonly unknown[] }
  | { kind: 'begins' | 'contains'; field: string; value: string }
  | { kind: 'and' | 'or'; of: readonly Condition[] };

export const exists = (field = 'pk'): Condition => ({ kind: 'exists', field });
export const missing = (field = 'pk'): Condition => ({ kind: 'missing', field });
export const equals = (field: string, value: unknown): Condition => ({ kind: '=', field, value });
export const differs = (field: string, value: unknown): Condition => ({ kind: '<>', field, value });
export const below = (field: string, value: unknown): Condition => ({ kind: '<', field, value });
export const atMost = (field: string, value: unknown): Condition => ({ kind: '<=', field, value });
export const above = (field: string, value: unknown): Condition => ({ kind: '>', field, value });
export const atLeast = (field: string, value: unknown): Condition => ({ kind: '>=', field, value });
export const oneOf = (field: string, values: readonly unknown[]): Condition => ({ kind: 'in', field, values });
export const all = (...of: Condition[]): Condition => ({ kind: 'and', of });
export const any = (...of: Condition[]): Condition => ({ kind: 'or', of });

/** Set a field, remove it with undefined, add to a number. */
export interface Change {
  set?: Readonly<Record<string, unknown>>;
  /** Set only if the field has no value yet. */
  setOnce?: Readonly<Record<string, unknown>>;
  add?: Readonly<Record<string, number>>;
  remove?: readonly string[];
}

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

  condition(condition: Condition): string {
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

  change(change: Change): string {
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
