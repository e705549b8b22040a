/** What differs from what was read: the fields that a form sends, so that it overwrites nothing that others changed meanwhile. */
export const changesOf = <V extends object>(read: V, edits: Partial<V>): Partial<V> => {
  const changed: Partial<V> = {};
  for (const name of namesOf(edits)) if (!isSame(edits[name], read[name])) changed[name] = edits[name];
  return changed;
};

/** The edits that were not sent: what was typed while the answer was on its way stays. */
export const editsLeft = <V extends object>(edits: Partial<V>, sent: Partial<V>): Partial<V> => changesOf<Partial<V>>(sent, edits);

export const isEmpty = (changed: object): boolean => Object.keys(changed).length === 0;

const namesOf = <V extends object>(record: V) => Object.keys(record) as (keyof V)[];

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
