import { consentReactions } from './reactions/consent.ts';
import { contactReactions } from './reactions/contact.ts';
import { importReactions } from './reactions/import.ts';
import { reachabilityReactions } from './reactions/reachability.ts';
import { searchSnapshotReactions } from './reactions/search-snapshot.ts';

export const reactions = [
  ...contactReactions,
  ...consentReactions,
  ...reachabilityReactions,
  ...importReactions,
  ...searchSnapshotReactions,
];
