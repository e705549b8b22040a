/** How far ahead each priority may reserve a number's send slots, and how many at once. Epoch microseconds. See docs/decisions/send-slots-by-priority.md. */
export const sendPriorities = ['code', 'direct', 'campaign'] as const;
export type SendPriority = (typeof sendPriorities)[number];

/**
 * How far ahead each priority may reserve, milliseconds. A campaign stays so near the present that a direct send finds a slot at once, and
 * direct sends stay so near that a code does.
 */
const bookAheadMs: Readonly<Record<SendPriority, number>> = { code: 5_000, direct: 1_000, campaign: 250 };

/** The latest start that a reservation of this priority may have. */
export const latestSlotStart = (priority: SendPriority, nowMs: number): number => (nowMs + bookAheadMs[priority]) * 1_000;

/** Microseconds between two sends: rounded up, so that no second has more than the rate. */
export const slotSpacing = (ratePerSecond: number): number => Math.ceil(1_000_000 / Math.max(1, ratePerSecond));

/**
 * The spacing of a priority. A campaign leaves 3 % of the rate free: its calls leave some milliseconds after their slots, and this jitter
 * must not bring one more of them into a second.
 */
export const prioritySpacing = (priority: SendPriority, ratePerSecond: number): number =>
  priority === 'campaign' ? Math.ceil(slotSpacing(ratePerSecond) / campaignShare) : slotSpacing(ratePerSecond);

export const campaignShare = 0.97;

/**
 * The line of a number: messages that found no slot come back one after another, each at its turn, and not all of them again and again. The
 * line leaves a tenth of the rate to what is sent anew, which so finds a slot at once.
 */
export const turnSpacing = (ratePerSecond: number): number => Math.ceil(slotSpacing(ratePerSecond) / lineShare);

const lineShare = 0.9;

/** The first turn of an empty line: a direct send has looked so far ahead already. */
export const firstTurn = (nowMs: number): number => latestSlotStart('direct', nowMs);

/** The times of consecutive slots, epoch milliseconds. */
export const slotTimes = (first: number, count: number, spacingUs: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.ceil((first + index * spacingUs) / 1_000));

/** How many slots a campaign reserves at a time. A direct send waits at most for `bookAheadMs` and for one such run. */
export const campaignSlotCount = (ratePerSecond: number): number =>
  Math.max(1, Math.floor((ratePerSecond * campaignReservationMs) / 1_000));

/** Less than a campaign may reserve ahead, so that no slot is lost between two reservations; not so little that each slot costs a write. */
const campaignReservationMs = 160;

/**
 * How many recipients a campaign claims in one request: those of 50 ms. A worker that crashes leaves at most so many more messages behind
 * with an unknown result.
 */
export const claimWindow = (ratePerSecond: number): number =>
  Math.max(1, Math.min(25, Math.floor((ratePerSecond * claimWindowMs) / 1_000)));

const claimWindowMs = 50;

/** When a campaign that found no slot tries again, epoch milliseconds: as soon as one may be reserved, with some jitter. */
export const retryCampaignSlotsAt = (nextFree: number, nowMs: number, random: number): number =>
  Math.max(nowMs + 5, Math.ceil(nextFree / 1_000) - bookAheadMs.campaign) + Math.floor(random * 20);

/** How long a message without a slot waits, whole milliseconds: at least a second, with jitter, so that many do not return at once. */
export const slotRetryMs = (nextFree: number | undefined, nowMs: number, random: number): number =>
  Math.max(1_000, Math.ceil((nextFree ?? 0) / 1_000) - nowMs) + Math.floor(random * 2_000);
