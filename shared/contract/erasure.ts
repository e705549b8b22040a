/**
 * The erasure of a contact walks through the steps that contexts declare (role file `erasure.ts`): each context knows which personal data it
 * holds and how it ends. See docs/decisions/erasure.md.
 */
export interface ErasureStep {
  /** What it removes, in the plural, as the receipt counts it; unique in the product. */
  name: string;
  /** The kinds of items that it deletes or empties; each says in its entity which `personalData` it holds. */
  ends: readonly string[];
  /** Removes what a foreign system has: after all other steps and in the first pass alone, so that one which does not answer keeps nothing here. */
  isForeign?: true;
  /** Finds the next items from `cursor` on; undefined: from the start. Removes nothing. */
  find: (subject: ErasureSubject, cursor: string | undefined) => Promise<ErasureSlice>;
}

/** Some of what a step removes. The walk stores `found` and `next` first, then erases: a repetition of the slice counts nothing twice. */
export interface ErasureSlice {
  found: number;
  /** Where the next slice starts; undefined: the step is done. */
  next?: string | undefined;
  /** Removes what was found. A repetition does nothing. */
  erase: () => Promise<unknown>;
}

/** The contact to erase. An identifier that another contact has by now is left out, because what it finds belongs to that contact. */
export interface ErasureSubject {
  companyId: number;
  contactId: number;
  /** Digits with country code, as stored. */
  phone?: string | undefined;
  /** The provider's business-scoped user id. */
  userId?: string | undefined;
  email?: string | undefined;
  name?: string | undefined;
  /** Those that it had before, and those of contacts that were merged into it. */
  formerPhones?: readonly string[];
  formerUserIds?: readonly string[];
}

/** Thrown by a removal that cannot be done now: the walk goes on there later, again and again until it is done. */
export class RemovalDelayed extends Error {
  override name = 'RemovalDelayed';
}

/** All phones by which data of the contact may be found. */
export const phonesOf = ({ phone, formerPhones = [] }: ErasureSubject): string[] => [...defined(phone), ...formerPhones];
/** All user ids by which data of the contact may be found. */
export const userIdsOf = ({ userId, formerUserIds = [] }: ErasureSubject): string[] => [...defined(userId), ...formerUserIds];

const defined = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

/** A step that finds all at once. */
export const erasureStep = (
  spec: Pick<ErasureStep, 'name' | 'ends' | 'isForeign'>,
  find: (subject: ErasureSubject) => Promise<readonly (() => Promise<unknown>)[]>,
): ErasureStep => ({
  ...spec,
  find: async (subject) => sliceOf(await find(subject)),
});

/** A slice of removals, eight at a time. */
export const sliceOf = (removals: readonly (() => Promise<unknown>)[], next?: string): ErasureSlice => ({
  found: removals.length,
  next,
  erase: async () => {
    for (let start = 0; start < removals.length; start += 8) await Promise.all(removals.slice(start, start + 8).map((remove) => remove()));
  },
});
