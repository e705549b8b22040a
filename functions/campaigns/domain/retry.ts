import { dayMs } from '../../../shared/runtime/clock.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';

/** Tries of one recipient, those of retries included (A45). */
export const maxSendAttempts = 3;

/**
 * Why a failed message is not sent again (A45); undefined: it may be. The template is approved at this moment, so a message that failed
 * because of a paused template may go now; a request to retry implies that the company has fixed its payment.
 */
export const retryRefusalReason = (message: StoredMessage, classOf: (code: number) => string, nowMs: number): string | undefined => {
  if (message.status === messageStatuses.processing && message.ambiguous) return 'fate_unknown';
  if (message.status !== messageStatuses.failed) return 'not_failed';
  if (message.ambiguous) return 'ambiguous';
  if (message.attempt >= maxSendAttempts) return 'too_many_attempts';
  const code = message.error?.code;
  if (code === 'provider_unreachable') return undefined;
  if (typeof code !== 'number') return typeof code === 'string' && optOuts.has(code) ? 'opted_out' : 'not_retryable';
  if (code === 131050) return 'opted_out';
  if (code === 131026) return 'undeliverable';
  if (code === 131049) return nowMs - (message.failedAt ?? nowMs) >= dayMs ? undefined : 'wait_24_hours';
  if (code === templatePaused) return undefined;
  switch (classOf(code)) {
    case 'throttle':
    case 'transient':
    case 'media':
    case 'payment':
      return undefined;
    case 'template':
    case 'parameter':
      return 'parameters';
    case 'policy':
    case 'account':
      return 'policy';
    default:
      return 'not_retryable';
  }
};

const templatePaused = 132015;
const optOuts: ReadonlySet<string> = new Set(['opted_out', 'unsubscribed', 'marketing_blocked']);
