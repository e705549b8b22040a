import { consentReactions } from './consent.ts';
import { contactReactions } from './contact.ts';
import { eventReactions } from './events.ts';
import { searchSnapshotReactions } from './search-snapshot.ts';
import { sliceReactions } from './slices.ts';
import { verdictReactions } from './verdict.ts';

export const reactions = [
  ...contactReactions,
  ...consentReactions,
  ...eventReactions,
  ...verdictReactions,
  ...sliceReactions,
  ...searchSnapshotReactions,
];
