/**
 * Attributes of an item that this version does not know: one that runs beside it, or the one from before a rollback, wrote them. They go with the item from its
 * read to its write, so that a write of the whole item keeps them. See docs/decisions/two-versions.md. Under a symbol they are in no answer and no JSON.
 */
export const ofOtherVersions: unique symbol = Symbol('attributes of other versions');

export interface WithOtherVersions {
  [ofOtherVersions]?: Readonly<Record<string, unknown>> | undefined;
}

/** For a form of the item that is made field by field: spread them into it. */
export const othersOf = (item: object): WithOtherVersions => {
  const others = (item as WithOtherVersions)[ofOtherVersions];
  return others === undefined ? {} : { [ofOtherVersions]: others };
};

/** The item as this version knows it, for a write after which nothing else of it may be left. */
export const withoutOthers = <Item extends object>(item: Item): Item => ({ ...item, [ofOtherVersions]: undefined });
