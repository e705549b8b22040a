import * as z from 'zod';
import type { BucketSpec } from '../../../shared/contract/resource.ts';

/** Phones and searchable names of large companies' contacts. See docs/decisions/contact-search.md. */
export const searchBucket: BucketSpec = {
  kind: 'bucket',
  name: 'contact-search',
  purpose: 'Snapshots of phones and searchable names, for the search of large companies',
  retentionDays: 30,
};

export const searchSnapshotEntityName = 'search-snapshot';

/** Where a company's search snapshot lies. Times are epoch milliseconds. */
export const storedSearchSnapshot = z.object({
  companyId: z.int(),
  /** Grows with each lease; objects are named by the generation that wrote them, so that an object never changes. */
  generation: z.int().default(0),
  /** Until then one worker alone may change it; 0: it is free. */
  leaseUntil: z.int().default(0),
  /** When it was begun from nothing. Objects go after 30 days, so it is begun anew before. */
  startedAt: z.int().default(0),
  /** It contains all changes of contacts before this time. */
  asOf: z.int().default(0),
  /** The generation that wrote each part of 65,536 ids; 0: the part has no contacts. */
  parts: z.array(z.int()).default([]),
  /** While a worker changes it: its objects before and after. Those that `parts` does not name are to be deleted. */
  leftovers: z.array(z.object({ part: z.int(), generation: z.int() })).default([]),
  /** When a search last requested to bring it up to date. */
  requestedAt: z.int().default(0),
});
export type StoredSearchSnapshot = z.output<typeof storedSearchSnapshot>;
