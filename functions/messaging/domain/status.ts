import { dayMs, hourMs } from '../../../shared/runtime/clock.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { isHeldByProvider } from '../contract/held.ts';
import type { StatusUpdate } from '../contract/provider-update.ts';
import { isKnownError, providerErrorEntry } from '../../../shared/provider/errors.ts';

export interface StatusEvidence {
  status: StatusUpdate['status'];
  atMs: number;
  wamid: string;
  errors: StatusUpdate['errors'];
  /** What the provider charges; equal in every status that has it. */
  pricing?: StatusUpdate['pricing'];
}

const statusRanks: Readonly<Record<string, number>> = {
  sent: messageStatuses.sent,
  delivered: messageStatuses.delivered,
  read: messageStatuses.read,
  played: messageStatuses.read,
};

/** Where a status stands in the course of a message; one that is not known comes last. */
export const rankOfStatus = (status: string): number => statusRanks[status] ?? Number.MAX_SAFE_INTEGER;
const timeFields = {
  [messageStatuses.sent]: 'sentAt',
  [messageStatuses.delivered]: 'deliveredAt',
  [messageStatuses.read]: 'readAt',
} as const;

/**
 * The change that a status webhook makes to a message; undefined: none. Statuses only move forward, in any order and however often they
 * come. A failure after delivery is a note. A status also settles a message whose result was unknown.
 */
export const applyStatus = (message: StoredMessage, evidence: StatusEvidence): Partial<StoredMessage> | undefined => {
  if (message.pastWamids?.includes(evidence.wamid)) return undefined;
  const change: Partial<StoredMessage> = {};
  if (message.wamid === undefined) change.wamid = evidence.wamid;
  if (evidence.status === 'failed') Object.assign(change, failure(message, evidence));
  else Object.assign(change, progress(message, evidence));
  const pricing = message.pricing === undefined ? pricingOf(evidence.pricing) : undefined;
  if (pricing) change.pricing = pricing;
  return Object.keys(change).length > 0 ? change : undefined;
};

/**
 * The step that `delivered` and `read` usually are: written without reading the message first. It is what `applyStatus` would make of a
 * message in the usual state. Undefined: the message must be read.
 */
export const expectedStep = ({ status, atMs, pricing, wamid }: StatusEvidence) => {
  if (status !== 'delivered' && status !== 'read') return undefined;
  const { sent, delivered, read } = messageStatuses;
  const given = { wamid, atMs, pricing: pricingOf(pricing) };
  return status === 'delivered'
    ? { from: [sent], to: delivered, field: 'deliveredAt' as const, usual: { rev: revs.sent, status: sent }, ...given }
    : { from: [sent, delivered], to: read, field: 'readAt' as const, usual: { rev: revs.delivered, status: delivered }, ...given };
};

/** A message is created by its claim, in revision 0; the response to its send and each status are a write. */
const revs = { sent: 1, delivered: 2 } as const;

function pricingOf(given: StatusUpdate['pricing']): StoredMessage['pricing'] {
  if (!given) return undefined;
  const { billable, pricing_model: model, type, category, cost } = given;
  return {
    ...(billable === undefined ? {} : { billable }),
    ...(model === undefined ? {} : { model }),
    ...(type === undefined ? {} : { type }),
    ...(category === undefined ? {} : { category }),
    ...(cost ? { cost: { micros: Math.round(cost.amount * 1_000_000), currency: cost.currency } } : {}),
  };
}

function progress(message: StoredMessage, { status, atMs }: StatusEvidence): Partial<StoredMessage> {
  const rank = statusRanks[status];
  if (rank === undefined) return {};
  const change: Partial<StoredMessage> = {};
  const field = timeFields[rank as keyof typeof timeFields];
  if (message[field] === undefined) change[field] = atMs;
  const isAmbiguousFailure = message.status === messageStatuses.failed && message.ambiguous === true;
  const isUnsettled = message.status <= messageStatuses.sending || message.status === messageStatuses.processing || isAmbiguousFailure;
  if (isUnsettled || (message.status < rank && message.status !== messageStatuses.failed)) change.status = rank;
  if (isUnsettled) Object.assign(change, { ambiguous: undefined, error: undefined, failedAt: undefined, dueAt: undefined });
  return change;
}

function failure(message: StoredMessage, { atMs, errors }: StatusEvidence): Partial<StoredMessage> {
  const [first] = errors ?? [];
  const details = first?.error_data?.details ?? first?.message;
  const error = {
    ...(first?.code === undefined
      ? { code: 'unknown', title: first?.title ?? 'The provider gave no reason' }
      : errorOf(first.code, isHeldByProvider(message) ? droppedTitles[first.code] : undefined, first.title)),
    ...(details ? { details } : {}),
  };
  if (message.status === messageStatuses.delivered || message.status === messageStatuses.read) return message.note ? {} : { note: error };
  if (message.status === messageStatuses.failed && message.ambiguous !== true) return {};
  return { status: messageStatuses.failed, failedAt: atMs, error, ambiguous: undefined, dueAt: undefined };
}

/** Epoch milliseconds of a provider's timestamp, a text of seconds; the receiving time when there is none. */
export const providerTime = (seconds: string | undefined, receivedAtMs: number): number => {
  const value = Number(seconds);
  return Number.isInteger(value) && value > 0 ? value * 1_000 : receivedAtMs;
};

/** A parked status is tried again after 5 s, 30 s, 2 min, 10 min, 1 h, then every 12 h, for seven days. */
export const nextParkedRetryAt = (tries: number, parkedAtMs: number, nowMs: number): number | undefined => {
  const steps = [5_000, 30_000, 120_000, 600_000, 3_600_000];
  const next = nowMs + (steps[tries] ?? 12 * hourMs);
  return next - parkedAtMs > 7 * dayMs ? undefined : next;
};
/** Our title of the code, for this message or for all; of a code that is not known here, the provider's own. */
const errorOf = (code: number, own: string | undefined, given: string | undefined) => ({
  code,
  title: own ?? (isKnownError(code) || !given ? providerErrorEntry(code).title : given),
});

/** Of a message that the provider held back: it was never on its way. */
const droppedTitles: Readonly<Record<number, string>> = {
  132015: 'Held back and not sent: the template was paused',
  132016: 'Held back and not sent: the template was disabled',
};
