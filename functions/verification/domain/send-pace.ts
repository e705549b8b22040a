import { hourMs } from '../../../shared/runtime/clock.ts';
import type { BudgetState } from './request-budget.ts';
import type { Settings } from './settings.ts';

/**
 * The pace of messages to one identifier, which no caller can use up: strangers who request codes for a user slow the messages down, and a
 * code that was sent stays open until the next message may leave. Public keys have one pace, servers of the company and users with a live
 * trust key another. Times are epoch milliseconds.
 */
export interface SendPace {
  /** When messages were requested that count, oldest first. */
  sends: readonly number[];
  windowMs: number;
  /** Messages within the window. A new request may have one more: it is the one that stays open. */
  most: number;
}

/**
 * `max_requests` within the window of the settings; after messages by which none was verified, within the time of a block, an hour at most.
 * `isProven`: the latest request was verified, so its user wanted the messages.
 */
export const sendPace = (
  budget: BudgetState,
  { isTrusted, isProven }: { isTrusted: boolean; isProven: boolean },
  settings: Settings,
  at: number,
): SendPace => {
  const { max_requests: most, window_seconds, block_seconds } = settings.bombing;
  const short = window_seconds * 1_000;
  const windowMs = isProven ? short : Math.max(short, Math.min(block_seconds * 1_000, hourMs));
  const sends = ((isTrusted ? budget.serverSends : budget.sends) ?? []).filter((sent) => sent > at - windowMs);
  return { sends, windowMs, most };
};

/** When the next message may leave. */
export const nextSendTime = ({ sends, windowMs, most }: SendPace, at: number, isNew: boolean): number => {
  const limit = most + (isNew ? 1 : 0);
  return sends.length < limit ? at : (sends.at(-limit) ?? at) + windowMs;
};

/** Until when the request of a message that leaves now is open at least: until the next new one can be sent. */
export const openUntil = (pace: SendPace, at: number): number => nextSendTime({ ...pace, sends: [...pace.sends, at] }, at, true);
