import { message, reaction, reactionList } from '../../../shared/events/react.ts';
import { importsQueue } from '../contract/import.ts';
import { searchSnapshotEntityName, storedSearchSnapshot, type StoredSearchSnapshot } from '../contract/search-snapshot.ts';

/** Enqueues the update of a search snapshot that a search, or the update before, requested. */
export const searchSnapshotReactions = reactionList({ sendsTo: [importsQueue] }, [
  reaction<StoredSearchSnapshot>(
    { name: searchSnapshotEntityName, parse: (raw) => storedSearchSnapshot.parse(raw) },
    ({ before, after }) =>
      after && after.requestedAt !== (before?.requestedAt ?? 0)
        ? [message(importsQueue, after.companyId, { company_id: after.companyId })]
        : [],
  ),
]);
