/** The life of a template (A35, provider reference §4.4): its statuses, its moves, and whose news of it counts. */

/** From each status, the ones it may move to. From any status to DELETED. */
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

/** Whether A35 has this move. A status that only the provider knows may come from anywhere and go anywhere. */
export const isTransition = (from: string, to: string): boolean => {
  if (from === to || from === 'DELETED') return false;
  return to === 'DELETED' || !(from in transitions) || !(to in transitions) || (transitions[from] ?? []).includes(to);
};

/** Webhook events that are no statuses: what they mean for the status; null: nothing. */
const events: Readonly<Record<string, string | null>> = {
  REINSTATED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  UNPAUSED: 'APPROVED',
  // warned, or closed to edits: it is sent as before
  FLAGGED: null,
  LOCKED: null,
};

/** The status after a webhook's event; undefined when the event moves nothing. What we do not know is kept as it is. */
export const statusOfEvent = (event: string): string | undefined => {
  const word = event.toUpperCase();
  return word in events ? (events[word] ?? undefined) : word;
};

/**
 * Whether news of the provider's time `at` (epoch milliseconds) counts against what is known since `knownAt`. The provider is the judge of
 * its templates, so newer news always counts, also where a step between was missed; older news never does. Its times have whole seconds:
 * of two statuses in one second the one that A35 lets follow the other is the later.
 */
export const isNewer = (at: number, knownAt: number): boolean => toSeconds(at) > toSeconds(knownAt);
export const isNotOlder = (at: number, knownAt: number): boolean => toSeconds(at) >= toSeconds(knownAt);

export const supersedesStatus = (news: { status: string; at: number }, known: { status: string; at: number }): boolean =>
  isNewer(news.at, known.at) || (isNotOlder(news.at, known.at) && isTransition(known.status, news.status));

const toSeconds = (ms: number): number => Math.floor(ms / 1_000);
