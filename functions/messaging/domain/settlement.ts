import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { nextTry, type Sent } from './answer.ts';

/** What came of a message: the provider's word, or that it had to wait for its turn and nobody was called. */
export type Outcome = Sent | { outcome: 'waits'; untilMs: number };

/** Whether a message is still to be sent at this time: not claimed by another delivery, not cancelled, not moved. */
export const isDue = (message: StoredMessage, dueAtMs: number): boolean =>
  message.status === messageStatuses.scheduled && message.dueAt === dueAtMs;

/** Whether nobody knows what came of this attempt: not one that was settled, and not a later one. */
export const isUnknown = (message: StoredMessage, attempt: number): boolean => isClaimed(message) && message.attempt === attempt;

/** A campaign's claim makes its row in status 6 (processing); any other claim is status 1. */
const isClaimed = ({ status }: StoredMessage): boolean => status === messageStatuses.sending || status === messageStatuses.processing;

/** The change that an outcome makes to the message as it stands; undefined when evidence was faster (A29). */
export const settlement = (seen: StoredMessage, sent: Outcome, at: number): Partial<StoredMessage> | undefined => {
  const isMine = isClaimed(seen);
  switch (sent.outcome) {
    case 'accepted':
      if (isMine) return { status: messageStatuses.sent, wamid: sent.wamid, sentAt: at, error: undefined };
      return seen.wamid === undefined ? { wamid: sent.wamid } : undefined;
    case 'refused': {
      if (!isMine) return undefined;
      const error = { code: sent.code, title: sent.title, ...(sent.details ? { details: sent.details } : {}) };
      return again(nextTry(sent.code, seen.attempt, at), error, at);
    }
    case 'unsent': {
      if (!isMine) return undefined;
      return again(nextTry(130429, seen.attempt, at), { code: 'provider_unreachable', title: 'The provider could not be reached' }, at);
    }
    case 'waits':
      return isMine ? { status: messageStatuses.scheduled, dueAt: sent.untilMs } : undefined;
    case 'ambiguous':
      return isMine && !seen.ambiguous ? { ambiguous: true } : undefined;
  }
};

const again = (dueAt: number | undefined, error: NonNullable<StoredMessage['error']>, at: number): Partial<StoredMessage> =>
  dueAt === undefined ? { status: messageStatuses.failed, failedAt: at, error } : { status: messageStatuses.scheduled, dueAt, error };
