/** The rules of pace (architecture 5): how far ahead each lane may book a number's slots, and how long a block is. Epoch microseconds. */
export const sendPriorities = ['code', 'direct', 'campaign'] as const;
export type SendPriority = (typeof sendPriorities)[number];

/**
 * How far ahead a lane may book, milliseconds. A campaign stays so near the present that a direct send comes in between at once, and a
 * direct send so near that a code does: nobody behind, however many, moves the front by more than this.
 */
const bookAheadMs: Readonly<Record<SendPriority, number>> = { code: 5_000, direct: 1_000, campaign: 250 };

/** The last moment at which a block of a lane may begin. */
export const latestSlotStart = (lane: SendPriority, nowMs: number): number => (nowMs + bookAheadMs[lane]) * 1_000;

/** Microseconds between two sends: rounded up, so that never more than the rate fall into any second. */
export const slotSpacing = (ratePerSecond: number): number => Math.ceil(1_000_000 / Math.max(1, ratePerSecond));

/**
 * Of a lane. A campaign leaves 3 % of the rate free: its calls leave some milliseconds after their slots, some more than others, and that
 * must not bring one more of them into a second.
 */
export const prioritySpacing = (lane: SendPriority, ratePerSecond: number): number =>
  lane === 'campaign' ? Math.ceil(slotSpacing(ratePerSecond) / campaignShare) : slotSpacing(ratePerSecond);

export const campaignShare = 0.97;

/** The slots of a block, epoch milliseconds. */
export const slotTimes = (first: number, count: number, spacingUs: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.ceil((first + index * spacingUs) / 1_000));

/** How many slots a campaign takes at a time: whoever comes in between waits for what it may be ahead by, and for one such block. */
export const campaignSlotCount = (ratePerSecond: number): number =>
  Math.max(1, Math.floor((ratePerSecond * campaignReservationMs) / 1_000));

/** Less than it may be ahead by, so that it loses no slot while it books the next ones; not so little that each costs a write. */
const campaignReservationMs = 160;

/** When a campaign that found no slot looks again, epoch milliseconds: as soon as one may be booked, spread a little. */
export const retryCampaignSlotsAt = (nextFree: number, nowMs: number, random: number): number =>
  Math.max(nowMs + 5, Math.ceil(nextFree / 1_000) - bookAheadMs.campaign) + Math.floor(random * 20);

/** How long a message waits that found no slot, whole milliseconds: at least a second, spread so that a crowd does not come back as one. */
export const slotRetryMs = (nextFree: number | undefined, nowMs: number, random: number): number =>
  Math.max(1_000, Math.ceil((nextFree ?? 0) / 1_000) - nowMs) + Math.floor(random * 2_000);
