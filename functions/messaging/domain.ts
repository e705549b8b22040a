import { type InboundMessage, messageStatuses, messageTypes, type StatusUpdate, type StoredMessage } from './contract.ts';
import { providerErrorEntry, waitsInQueue } from './provider-errors.ts';

// ---- our reference -----------------------------------------------------------------------------------------------------------------

/** What the provider echoes in every status (`biz_opaque_callback_data`): finds the message's row without an index. */
export const referenceOf = (companyId: number, contactId: number, messageId: number): string =>
  `sb1:${companyId}:${contactId}:${messageId}`;

export const parseReference = (reference: string | undefined): { companyId: number; contactId: number; messageId: number } | undefined => {
  const found = /^sb1:(\d{1,15}):(\d{1,15}):(\d{1,16})$/.exec(reference ?? '');
  return found ? { companyId: Number(found[1]), contactId: Number(found[2]), messageId: Number(found[3]) } : undefined;
};

// ---- what a call to the provider came to -------------------------------------------------------------------------------------------

export type Sent =
  | { outcome: 'accepted'; wamid: string }
  /** Proven: the provider did not take it. */
  | { outcome: 'refused'; code: number; title: string; details: string | undefined }
  /** Proven: the request never reached the provider. */
  | { outcome: 'unsent' }
  /** The request left and no answer tells its fate. */
  | { outcome: 'ambiguous' };

/**
 * Reads the provider's answer (provider reference §1.2, §2.1): a readable error decides whatever the HTTP status is; without one only a
 * 4xx proves that the message was not taken (A28).
 */
export const classifyAnswer = (httpStatus: number, body: unknown): Sent => {
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const wamid = wamidIn(body);
  if (isSuccess && wamid !== undefined) return { outcome: 'accepted', wamid };
  const error = classifyProviderError(body);
  if (error) return { outcome: 'refused', ...error };
  const isProof = httpStatus >= 400 && httpStatus < 500 && httpStatus !== requestTimeout;
  if (!isProof) return { outcome: 'ambiguous' };
  return { outcome: 'refused', code: httpStatus, title: providerErrorEntry(httpStatus).title, details: `HTTP ${httpStatus}` };
};

/** 408 is said by whatever stands in front of the provider, of a request that may have gone through. */
const requestTimeout = 408;

/** Code, title and details of an error body; by `code` and `details` only, since texts are localised. */
export const classifyProviderError = (body: unknown): { code: number; title: string; details: string | undefined } | undefined => {
  const error = (
    body as { error?: { code?: unknown; error_data?: { details?: unknown } | string; error_user_msg?: unknown; message?: unknown } } | null
  )?.error;
  const code = codeIn(error?.code);
  if (!error || code === undefined) return undefined;
  const data = error.error_data;
  const details = typeof data === 'string' ? data : (data?.details ?? error.error_user_msg ?? error.message);
  return { code, title: providerErrorEntry(code).title, details: typeof details === 'string' ? details : undefined };
};

/** When a message that the provider would not take now is tried again; undefined when it must not be. */
export const nextTry = (code: number, attempt: number, nowMs: number): number | undefined => {
  if (!waitsInQueue(code) || attempt >= maxAttempts) return undefined;
  const { waitSeconds } = providerErrorEntry(code);
  return nowMs + Math.min(waitSeconds * (code === 131056 ? 4 : 2) ** (attempt - 1), 3_600) * 1_000;
};

/** Tries of one message at a provider that throttles: about four hours in all. */
export const maxAttempts = 14;

// ---- statuses ----------------------------------------------------------------------------------------------------------------------

export interface StatusEvidence {
  status: StatusUpdate['status'];
  atMs: number;
  wamid: string;
  errors: StatusUpdate['errors'];
}

const ranks: Readonly<Record<string, number>> = {
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
  const change: Partial<StoredMessage> = {};
  if (message.wamid === undefined) change.wamid = evidence.wamid;
  if (evidence.status === 'failed') Object.assign(change, failure(message, evidence));
  else Object.assign(change, progress(message, evidence));
  return Object.keys(change).length > 0 ? change : undefined;
};

function progress(message: StoredMessage, { status, atMs }: StatusEvidence): Partial<StoredMessage> {
  const rank = ranks[status];
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
    ...(first?.code === undefined ? { code: 'unknown', title: first?.title ?? 'The provider gave no reason' } : entryOf(first.code)),
    ...(details ? { details } : {}),
  };
  if (message.status === messageStatuses.delivered || message.status === messageStatuses.read) return message.note ? {} : { note: error };
  if (message.status === messageStatuses.failed && message.ambiguous !== true) return {};
  return { status: messageStatuses.failed, failedAt: atMs, error, ambiguous: undefined, dueAt: undefined };
}

// ---- inbound -----------------------------------------------------------------------------------------------------------------------

export interface Reading {
  type: number;
  subtype: string;
  value: string;
  raw: string | undefined;
}

/** The message's code, kind and text (decision A33). Kinds not taken apart yet keep the provider's payload whole. */
export const readInbound = (message: InboundMessage): Reading =>
  message.type === 'text' && message.text
    ? { type: messageTypes.text, subtype: 'text', value: message.text.body, raw: undefined }
    : { type: messageTypes.text, subtype: message.type, value: '', raw: JSON.stringify(message) };

/** Epoch milliseconds of a provider's timestamp (text of seconds); the receiving time when there is none. */
export const providerTime = (seconds: string | undefined, receivedAtMs: number): number => {
  const value = Number(seconds);
  return Number.isInteger(value) && value > 0 ? value * 1_000 : receivedAtMs;
};

/** A parked status is tried again after 5 s, 30 s, 2 min, 10 min, 1 h, then every 12 h, for seven days (decision A51). */
export const parkedTry = (tries: number, parkedAtMs: number, nowMs: number): number | undefined => {
  const steps = [5_000, 30_000, 120_000, 600_000, 3_600_000];
  const next = nowMs + (steps[tries] ?? 12 * 3_600_000);
  return next - parkedAtMs > 7 * 86_400_000 ? undefined : next;
};

const entryOf = (code: number) => ({ code, title: providerErrorEntry(code).title });

/** Codes come as numbers and, from some gateways, as text. */
function codeIn(code: unknown): number | undefined {
  const value = typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : code;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function wamidIn(body: unknown): string | undefined {
  const id = (body as { messages?: { id?: unknown }[] } | null | undefined)?.messages?.[0]?.id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}
