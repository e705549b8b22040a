import type { JournalRule, StoredImage } from '../../shared/contract/journal.ts';
import { messageEntityName, messageStatuses } from './contract/stored.ts';

/** That a message was sent, or is not to be sent any more: not that it was delivered and read, which comes once for each and brings nothing to leave. */
export const journal: readonly JournalRule[] = [
  {
    of: messageEntityName,
    when: (before, after) =>
      (after ?? before)?.['inbound'] === false && !(before && after && isReceived(after) && before['wamid'] === after['wamid']),
  },
];

const received: readonly unknown[] = [messageStatuses.delivered, messageStatuses.read];
const isReceived = (message: StoredImage): boolean => received.includes(message['status']);
