import type { StoredCampaign, StoredStats } from '../contract/stored.ts';
import { workedRecipientCount } from './stats.ts';

/** Of the number's rate: a campaign leaves a little free; see docs/decisions/campaign-send-rate.md. */
const usedShare = 0.97;

/** Below either, chance and the start of the workers weigh more than the pace. */
const leastRecipients = 50;
const leastMs = 3_000;

type Sending = Pick<StoredCampaign, 'sendingSince' | 'sendingMs'>;

/**
 * Recipients a second that a campaign achieved, without its pauses; undefined where there is too little to measure. The counters follow the
 * sends by the change stream, so the time runs to the latest send among them and not to this moment; from the first, since workers take a
 * second or two to start, which is no part of the pace.
 */
export const achievedPace = ({ sendingSince, sendingMs = 0 }: Sending, stats: StoredStats | undefined): number | undefined => {
  if (stats?.lastSentAt === undefined || sendingSince === undefined) return undefined;
  const recipients = workedRecipientCount(stats) - stats.singleRecipients;
  const ms = sendingMs + Math.max(0, stats.lastSentAt - Math.max(sendingSince, stats.firstSentAt ?? 0));
  return recipients < leastRecipients || ms < leastMs ? undefined : (recipients * 1_000) / ms;
};

/** Seconds that sending takes at the achieved pace, or without one at the pace that the number allows. */
export const etaSeconds = (recipients: number, ratePerSecond: number, achieved?: number): number => {
  const allowed = Math.max(1, ratePerSecond) * usedShare;
  return Math.ceil(recipients / Math.min(allowed, achieved ?? allowed));
};
