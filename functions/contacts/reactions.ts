import { consentReactions } from './reactions/consent.ts';
import { contactReactions } from './reactions/contact.ts';
import { eventReactions } from './reactions/events.ts';
import { importReactions } from './reactions/import.ts';
import { jobReactions } from './reactions/job.ts';
import { reachabilityReactions } from './reactions/reachability.ts';
import { searchSnapshotReactions } from './reactions/search-snapshot.ts';

export const reactions = [
  ...contactReactions,
  ...consentReactions,
  ...eventReactions,
  ...reachabilityReactions,
  ...importReactions,
  ...jobReactions,
  ...searchSnapshotReactions,
];
