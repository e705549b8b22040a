import { isHeldByProvider } from '../../messaging/contract/held.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import type { StoredStats, StoredStatsPart } from '../contract/stored.ts';
import { chargeOfRecipient } from './cost.ts';

export const emptyStats = (companyId: number, campaignId: number): StoredStats => ({
  companyId,
  campaignId,
  audience: 0,
  singleRecipients: 0,
  retried: 0,
  processing: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  ambiguous: 0,
  skipped: 0,
  accepted: 0,
  everDelivered: 0,
  everRead: 0,
  replied: 0,
  optedOut: 0,
  held: 0,
  failures: {},
  cost: {},
  rev: 0,
  checkpoints: {},
});

export type RecipientState = 'processing' | 'sent' | 'delivered' | 'read' | 'failed' | 'ambiguous';

/** In which counter a recipient's row stands; undefined: it waits, as those without a row do. */
export const recipientStateOf = (message: Pick<StoredMessage, 'status' | 'ambiguous'>): RecipientState | undefined => {
  switch (message.status) {
    case messageStatuses.sending:
    case messageStatuses.processing:
      return 'processing';
    case messageStatuses.sent:
      return 'sent';
    case messageStatuses.delivered:
      return 'delivered';
    case messageStatuses.read:
      return 'read';
    case messageStatuses.failed:
      return message.ambiguous ? 'ambiguous' : 'failed';
    default:
      return undefined;
  }
};

/** A part of the counters after one change of a recipient's row; what was counted in another part may be taken away in this one. */
export const applyMessageChange = (row: StoredStats, before: StoredMessage | undefined, after: StoredMessage): StoredStats => {
  const next = { ...row, failures: { ...row.failures }, cost: { ...row.cost } };
  const add = (counter: keyof typeof movableCounters, by: number): void => void (next[counter] += by);
  for (const [message, by] of [
    [before, -1],
    [after, 1],
  ] as const) {
    if (!message) continue;
    const state = recipientStateOf(message);
    if (state) add(state, by);
    if (state === 'failed')
      addFailure(next.failures, { code: String(message.error?.code ?? 'unknown'), title: message.error?.title, by, isOwn: true });
    if (isAccepted(message)) add('accepted', by);
    if (isHeldByProvider(message)) add('held', by);
    if (message.deliveredAt !== undefined || message.readAt !== undefined) add('everDelivered', by);
    if (message.readAt !== undefined) add('everRead', by);
    for (const [key, count] of Object.entries(chargeOfRecipient(message))) addCount(next.cost, key, by * count);
  }
  if (!after.campaign?.isSingleRecipient) Object.assign(next, sentSpan(row, { firstSentAt: after.sentAt, lastSentAt: after.sentAt }));
  if (!before && after.campaign?.isSingleRecipient) next.singleRecipients += 1;
  if (before?.status === messageStatuses.failed && after.status === messageStatuses.scheduled) next.retried += 1;
  return next;
};

/** An erased recipient without an outcome never has one: it is counted as a failure, so that the campaign comes to its end. */
export const removeOpenMessage = (row: StoredStats, removed: StoredMessage): StoredStats => {
  const state = recipientStateOf(removed);
  if (isHeldByProvider(removed)) return { ...row, held: row.held - 1 };
  if (state !== undefined && state !== 'processing') return row;
  const next = { ...row, failed: row.failed + 1, failures: { ...row.failures } };
  if (state === 'processing') next.processing -= 1;
  addFailure(next.failures, { code: 'erased', title: 'The recipient was erased', by: 1, isOwn: true });
  return next;
};

/** Recipients without an outcome: waiting, or in work. */
export const openRecipientCount = (stats: StoredStats): number =>
  stats.audience + stats.singleRecipients - (stats.sent + stats.delivered + stats.read + stats.failed + stats.ambiguous + stats.skipped);

/** Recipients whose turn has come: sent, failed or left out. */
export const workedRecipientCount = (stats: StoredStats): number =>
  stats.processing + stats.sent + stats.delivered + stats.read + stats.failed + stats.ambiguous + stats.skipped;

/** Attempts on recipients of the audience so far; unlike the states, it never falls when a retry puts failed recipients back. */
export const attemptCount = (stats: StoredStats): number => workedRecipientCount(stats) + stats.retried - stats.singleRecipients;

/** A sample is this far from the one before, in time and in attempts: the pace of a few is chance. Three of them reach back two to three steps. */
const [sampleStepMs, sampleStepCount, maxSamples] = [10_000, 20, 3];

/** Bounded, since the row is written with every batch of changes and paid for by its size. */
const withPaceSample = (stats: StoredStats): StoredStats['paceSamples'] => {
  const { lastSentAt: at, paceSamples: samples = [] } = stats;
  if (at === undefined) return stats.paceSamples;
  const count = attemptCount(stats);
  const last = samples.at(-1);
  if (last && (at - last.at < sampleStepMs || count - last.count < sampleStepCount)) return samples;
  return [...samples, { at, count }].slice(-maxSamples);
};

const movableCounters = {
  processing: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  failed: 0,
  ambiguous: 0,
  accepted: 0,
  everDelivered: 0,
  everRead: 0,
  held: 0,
};

/** A failure that came after the provider had taken the message was accepted once. */
const isAccepted = ({ status, wamid }: StoredMessage): boolean =>
  wamid !== undefined || status === messageStatuses.sent || status === messageStatuses.delivered || status === messageStatuses.read;

/** The counters after a change of one of their parts. */
export const addPartChange = (row: StoredStats, before: StoredStatsPart | undefined, after: StoredStatsPart): StoredStats => {
  const next = { ...row, failures: { ...row.failures }, cost: { ...row.cost } };
  for (const counter of countersOfParts) next[counter] += after[counter] - (before?.[counter] ?? 0);
  for (const [key, count] of Object.entries(after.cost)) addCount(next.cost, key, count);
  for (const [key, count] of Object.entries(before?.cost ?? {})) addCount(next.cost, key, -count);
  Object.assign(next, sentSpan(row, after));
  const earlier = before?.failures ?? {};
  for (const code of new Set([...Object.keys(earlier), ...Object.keys(after.failures)])) {
    const by = (after.failures[code]?.count ?? 0) - (earlier[code]?.count ?? 0);
    // one that is taken away and not there was counted with the others
    if (by !== 0) addFailure(next.failures, { code, title: (after.failures[code] ?? earlier[code])?.title, by, isOwn: by > 0 });
  }
  const paceSamples = withPaceSample(next);
  return paceSamples ? { ...next, paceSamples } : next;
};

type SentSpan = Pick<StoredStats, 'firstSentAt' | 'lastSentAt'>;

/** The first and the latest send of two spans. */
const sentSpan = (row: SentSpan, more: { [key in keyof SentSpan]: number | undefined }): SentSpan => {
  const firsts = [row.firstSentAt, more.firstSentAt].filter((at) => at !== undefined);
  const lasts = [row.lastSentAt, more.lastSentAt].filter((at) => at !== undefined);
  return {
    ...(firsts.length > 0 ? { firstSentAt: Math.min(...firsts) } : {}),
    ...(lasts.length > 0 ? { lastSentAt: Math.max(...lasts) } : {}),
  };
};

/** What the recipients' rows show, so that a recount finds it. */
export const countedFromRows = [
  'audience',
  'singleRecipients',
  'processing',
  'sent',
  'delivered',
  'read',
  'failed',
  'ambiguous',
  'skipped',
  'accepted',
  'everDelivered',
  'everRead',
  'held',
] as const;

const countersOfParts = [...countedFromRows, 'retried', 'replied', 'optedOut'] as const;

function addCount(counts: Record<string, number>, key: string, by: number): void {
  const count = (counts[key] ?? 0) + by;
  if (count === 0) delete counts[key];
  else counts[key] = count;
}

/** Codes of their own; the rest of a wild provider is one. */
const maxCodes = 40;

/** @param failure `isOwn`: a code that is not there yet gets an entry of its own */
function addFailure(
  failures: StoredStats['failures'],
  { code, title, by, isOwn }: { code: string; title: string | undefined; by: number; isOwn: boolean },
): void {
  const key = failures[code] !== undefined || (isOwn && Object.keys(failures).length < maxCodes) ? code : 'other';
  const count = (failures[key]?.count ?? 0) + by;
  if (count === 0) delete failures[key];
  else failures[key] = { count, title: failures[key]?.title ?? title ?? 'Failed' };
}
