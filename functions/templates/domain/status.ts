/** The statuses of a template, the transitions between them, and which of two updates counts. */

/** Those in which the provider lets a template be changed. */
export const editableStatuses: readonly string[] = ['APPROVED', 'REJECTED', 'PAUSED'];

/** From each status, the statuses that may follow. DELETED may follow any. */
const transitions: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['APPROVED', 'REJECTED', 'LIMIT_EXCEEDED'],
  APPROVED: ['PAUSED', 'DISABLED', 'ARCHIVED', 'PENDING_DELETION'],
  PAUSED: ['APPROVED', 'DISABLED'],
  REJECTED: ['IN_APPEAL', 'PENDING'],
  IN_APPEAL: ['APPROVED', 'REJECTED'],
  ARCHIVED: ['APPROVED'],
  DISABLED: [],
  PENDING_DELETION: [],
  LIMIT_EXCEEDED: [],
  DELETED: [],
};

/** Whether `to` may follow `from`. A status that is not known here may follow any, and any may follow it. */
export const isTransition = (from: string, to: string): boolean => {
  if (from === to || from === 'DELETED') return false;
  return to === 'DELETED' || !(from in transitions) || !(to in transitions) || (transitions[from] ?? []).includes(to);
};

/** Webhook events that are not statuses, and the status that they mean; null: none. */
const events: Readonly<Record<string, string | null>> = {
  REINSTATED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  UNPAUSED: 'APPROVED',
  // a warning, or closed to edits: the template can still be sent
  FLAGGED: null,
  LOCKED: null,
};

/** The status after a webhook's event; undefined when the event changes none. An unknown event is taken as a status. */
export const statusOfEvent = (event: string): string | undefined => {
  const word = event.toUpperCase();
  return word in events ? (events[word] ?? undefined) : word;
};

/**
 * Whether an update of the provider's time `at` (epoch milliseconds) is newer than what is stored since `knownAt`. A newer update always
 * counts, even where a step between was missed; an older one never does. The provider's times have whole seconds: of two statuses in one
 * second, the one that may follow the other is the later.
 */
export const isNewer = (at: number, knownAt: number): boolean => toSeconds(at) > toSeconds(knownAt);
export const isNotOlder = (at: number, knownAt: number): boolean => toSeconds(at) >= toSeconds(knownAt);

export const supersedesStatus = (update: { status: string; at: number }, known: { status: string; at: number }): boolean =>
  isNewer(update.at, known.at) || (isNotOlder(update.at, known.at) && isTransition(known.status, update.status));

const toSeconds = (ms: number): number => Math.floor(ms / 1_000);
