import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { nextSendAttemptAt, type ProviderResult } from './provider-result.ts';

/** The result of an attempt: the provider's, or that the message found no slot and waits, uncalled. */
export type AttemptResult = ProviderResult | { outcome: 'waits'; untilMs: number };

/** Whether a message is still due at this time: not claimed by another delivery, not cancelled, not rescheduled. */
export const isDue = (message: StoredMessage, dueAtMs: number): boolean =>
  message.status === messageStatuses.scheduled && message.dueAt === dueAtMs;

/** Whether the result of this attempt is unknown: it is still claimed, and no later attempt was made. */
export const isUnconfirmed = (message: StoredMessage, attempt: number): boolean => isClaimed(message) && message.attempt === attempt;

/** A campaign claims in status 6 (processing), every other send in status 1. */
const isClaimed = ({ status }: StoredMessage): boolean => status === messageStatuses.sending || status === messageStatuses.processing;

/** The change that a result makes to the message; undefined when a status webhook was faster. */
export const stateAfterAttempt = (seen: StoredMessage, sent: AttemptResult, at: number): Partial<StoredMessage> | undefined => {
  const isStillClaimed = isClaimed(seen);
  switch (sent.outcome) {
    case 'accepted':
      if (isStillClaimed)
        return { status: messageStatuses.sent, wamid: sent.wamid, error: undefined, ...(sent.isHeld ? { heldAt: at } : { sentAt: at }) };
      return seen.wamid === undefined ? { wamid: sent.wamid } : undefined;
    case 'refused': {
      if (!isStillClaimed) return undefined;
      const error = { code: sent.code, title: sent.title, ...(sent.details ? { details: sent.details } : {}) };
      return retryOrFail(nextSendAttemptAt(sent.code, seen.attempt, at), error, at);
    }
    case 'unsent': {
      if (!isStillClaimed) return undefined;
      return retryOrFail(
        nextSendAttemptAt(130429, seen.attempt, at),
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

/** How long a message that is due waits for a spend ceiling. */
const maxLimitedMs = 24 * 3_600_000;

/**
 * When a message that a spend ceiling does not allow is tried again, epoch milliseconds: when the ceiling begins anew, at the latest a day after it was
 * first refused. Undefined: that day is over.
 */
export const limitedUntil = (
  { limitedSince, dueAtMs }: { limitedSince: number | undefined; dueAtMs: number },
  resetsAtMs: number | undefined,
  at: number,
): number | undefined => {
  const latest = (limitedSince ?? dueAtMs) + maxLimitedMs;
  return at >= latest ? undefined : Math.min(resetsAtMs ?? latest, latest);
};

/** The change of a send that has no evidence two minutes after its claim. */
export const unconfirmedFailure = (at: number): Partial<StoredMessage> => ({
  status: messageStatuses.failed,
  ambiguous: true,
  failedAt: at,
  error: { code: 'ambiguous_send', title: 'The provider never said whether it took the message' },
});

const retryOrFail = (dueAt: number | undefined, error: NonNullable<StoredMessage['error']>, at: number): Partial<StoredMessage> =>
  dueAt === undefined ? { status: messageStatuses.failed, failedAt: at, error } : { status: messageStatuses.scheduled, dueAt, error };
