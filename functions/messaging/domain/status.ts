import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { StatusUpdate } from '../contract/webhook.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';

export interface StatusEvidence {
  status: StatusUpdate['status'];
  atMs: number;
  wamid: string;
  errors: StatusUpdate['errors'];
  /** What the provider charges; the same in each status that has it. */
  pricing?: StatusUpdate['pricing'];
}

const statusRanks: Readonly<Record<string, number>> = {
  sent: messageStatuses.sent,
  delivered: messageStatuses.delivered,
  read: messageStatuses.read,
  played: messageStatuses.read,
};
const timeFields = {
  [messageStatuses.sent]: 'sentAt',
  [messageStatuses.delivered]: 'deliveredAt',
  [messageStatuses.read]: 'readAt',
} as const;

/**
 * What a status webhook changes in a message (decision A29): forward only, exact under repetition and any order; nothing to write is
 * undefined. A failure after delivery is a note; evidence lifts a message whose fate was unknown.
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
 * The step that a delivery or a reading is for a message that the provider took and that nothing else happened to; what `applyStatus` would
 * make of it too. Undefined: the message itself must be looked at.
 */
export const expectedStep = ({ status, atMs, pricing, wamid }: StatusEvidence) => {
  if (status !== 'delivered' && status !== 'read') return undefined;
  const { sent, delivered, read } = messageStatuses;
  const given = { wamid, atMs, pricing: pricingOf(pricing) };
  return status === 'delivered'
    ? { from: [sent], to: delivered, field: 'deliveredAt' as const, ...given }
    : { from: [sent, delivered], to: read, field: 'readAt' as const, ...given };
};

function pricingOf(given: StatusUpdate['pricing']): StoredMessage['pricing'] {
  if (!given) return undefined;
  const { billable, pricing_model: model, type, category } = given;
  return {
    ...(billable === undefined ? {} : { billable }),
    ...(model === undefined ? {} : { model }),
    ...(type === undefined ? {} : { type }),
    ...(category === undefined ? {} : { category }),
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
    ...(first?.code === undefined ? { code: 'unknown', title: first?.title ?? 'The provider gave no reason' } : errorOf(first.code)),
    ...(details ? { details } : {}),
  };
  if (message.status === messageStatuses.delivered || message.status === messageStatuses.read) return message.note ? {} : { note: error };
  if (message.status === messageStatuses.failed && message.ambiguous !== true) return {};
  return { status: messageStatuses.failed, failedAt: atMs, error, ambiguous: undefined, dueAt: undefined };
}

/** Epoch milliseconds of a provider's timestamp (text of seconds); the receiving time when there is none. */
export const providerTime = (seconds: string | undefined, receivedAtMs: number): number => {
  const value = Number(seconds);
  return Number.isInteger(value) && value > 0 ? value * 1_000 : receivedAtMs;
};

/** A parked status is tried again after 5 s, 30 s, 2 min, 10 min, 1 h, then every 12 h, for seven days (decision A51). */
export const nextParkedRetryAt = (tries: number, parkedAtMs: number, nowMs: number): number | undefined => {
  const steps = [5_000, 30_000, 120_000, 600_000, 3_600_000];
  const next = nowMs + (steps[tries] ?? 12 * 3_600_000);
  return next - parkedAtMs > 7 * 86_400_000 ? undefined : next;
};
const errorOf = (code: number) => ({ code, title: providerErrorEntry(code).title });
