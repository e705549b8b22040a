import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { nextAttemptAt, type ProviderResult } from './provider-result.ts';

/** What came of a message: the provider's word, or that it had to wait for its turn and nobody was called. */
export type AttemptResult = ProviderResult | { outcome: 'waits'; untilMs: number };

/** Whether a message is still to be sent at this time: not claimed by another delivery, not cancelled, not moved. */
export const isDue = (message: StoredMessage, dueAtMs: number): boolean =>
  message.status === messageStatuses.scheduled && message.dueAt === dueAtMs;

/** Whether nobody knows what came of this attempt: not one that was settled, and not a later one. */
export const isUnconfirmed = (message: StoredMessage, attempt: number): boolean => isClaimed(message) && message.attempt === attempt;

/** A campaign's claim makes its row in status 6 (processing); any other claim is status 1. */
const isClaimed = ({ status }: StoredMessage): boolean => status === messageStatuses.sending || status === messageStatuses.processing;

/** The change that an outcome makes to the message as it stands; undefined when evidence was faster (A29). */
export const stateAfterAttempt = (seen: StoredMessage, sent: AttemptResult, at: number): Partial<StoredMessage> | undefined => {
  const isStillClaimed = isClaimed(seen);
  switch (sent.outcome) {
    case 'accepted':
      if (isStillClaimed) return { status: messageStatuses.sent, wamid: sent.wamid, sentAt: at, error: undefined };
      return seen.wamid === undefined ? { wamid: sent.wamid } : undefined;
    case 'refused': {
      if (!isStillClaimed) return undefined;
      const error = { code: sent.code, title: sent.title, ...(sent.details ? { details: sent.details } : {}) };
      return retryOrFail(nextAttemptAt(sent.code, seen.attempt, at), error, at);
    }
    case 'unsent': {
      if (!isStillClaimed) return undefined;
      return retryOrFail(
        nextAttemptAt(130429, seen.attempt, at),
        { code: 'provider_unreachable', title: 'The provider could not be reached' },
        at,
      );
    }
    case 'waits':
      return isStillClaimed ? { status: messageStatuses.scheduled, dueAt: sent.untilMs } : undefined;
    case 'ambiguous':
      return isStillClaimed && !seen.ambiguous ? { ambiguous: true } : undefined;
  }
};

const retryOrFail = (dueAt: number | undefined, error: NonNullable<StoredMessage['error']>, at: number): Partial<StoredMessage> =>
  dueAt === undefined ? { status: messageStatuses.failed, failedAt: at, error } : { status: messageStatuses.scheduled, dueAt, error };
