import type { StoredCampaign, StoredStats } from '../contract/stored.ts';
import { attemptCount } from './stats.ts';

/** Of the number's rate: a campaign leaves a little free; see docs/decisions/campaign-send-rate.md. */
const usedShare = 0.97;

/** Below either, chance and the start of the workers weigh more than the pace. */
const leastRecipients = 50;
const leastMs = 3_000;

/** What the samples reach back at least, once there are enough of them. */
const recentMs = 20_000;

type Sending = Pick<StoredCampaign, 'sendingSince' | 'sendingMs'>;

/**
 * Recipients a second that a campaign achieved, without its pauses; undefined where there is too little to measure. The counters follow the
 * sends by the change stream, so the time runs to the latest send among them and not to this moment; from the first, since workers take a
 * second or two to start, which is no part of the pace.
 */
export const achievedPace = ({ sendingSince, sendingMs = 0 }: Sending, stats: StoredStats | undefined): number | undefined => {
  if (stats?.lastSentAt === undefined || sendingSince === undefined) return undefined;
  const recipients = attemptCount(stats);
  const ms = sendingMs + Math.max(0, stats.lastSentAt - Math.max(sendingSince, stats.firstSentAt ?? 0));
  return recipients < leastRecipients || ms < leastMs ? undefined : (recipients * 1_000) / ms;
};

/**
 * Recipients a second lately: since the oldest sample of the present run, which is 20 to 30 seconds ago, or 40 to 60 recipients where these took
 * longer. A shorter time, at the start and after a pause, is filled up with the pace of the whole campaign.
 */
export const recentPace = (sending: Sending, stats: StoredStats | undefined): number | undefined => {
  const achieved = achievedPace(sending, stats);
  if (achieved === undefined || stats?.lastSentAt === undefined) return undefined;
  const since = stats.paceSamples?.find(({ at }) => at >= (sending.sendingSince ?? 0));
  if (since === undefined) return achieved;
  const ms = Math.max(0, stats.lastSentAt - since.at);
  const filledMs = Math.max(0, recentMs - ms);
  // recipients that wait for another try are taken off again: an end there is all the same
  const attempts = Math.max(1, attemptCount(stats) - since.count);
  return (attempts * 1_000 + achieved * filledMs) / (ms + filledMs);
};

/** Seconds that sending takes at the achieved pace, or without one at the pace that the number allows. */
export const etaSeconds = (recipients: number, ratePerSecond: number, achieved?: number): number => {
  const allowed = Math.max(1, ratePerSecond) * usedShare;
  return Math.ceil(recipients / Math.min(allowed, achieved ?? allowed));
};

/** From the latest send that is counted on, since those after it are among the ones that seem to wait. */
export const expectedEndMs = (
  sending: Sending,
  stats: StoredStats,
  { waiting, ratePerSecond, nowMs }: { waiting: number; ratePerSecond: number; nowMs: number },
): number => {
  const pace = recentPace(sending, stats);
  const fromMs = pace === undefined ? nowMs : (stats.lastSentAt ?? nowMs);
  return Math.max(nowMs, fromMs + etaSeconds(waiting, ratePerSecond, pace) * 1_000);
};
