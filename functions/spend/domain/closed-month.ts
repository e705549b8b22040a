import type { StoredRateCard } from '../contract/stored.ts';

/** The day of the next month, UTC, on which a month is closed: by then the provider has reported what it charged. */
export const closingDay = 10;

/**
 * Whether a card prices a day: one that is imported after the day's month was closed changes none of its amounts, unless the operator opened
 * closed months for it. So a closed month needs no copy of its amounts: its counts do not change, and its cards are those that were there.
 */
export const pricesDay = ({ importedAt, reopens }: Pick<StoredRateCard, 'importedAt' | 'reopens'>, day: string): boolean =>
  reopens === true || importedAt < closesAtMs(day);

const closesAtMs = (day: string): number => {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return Date.UTC(year, month, closingDay);
};

/** The last day whose amounts are final at a time: of the month before, from its closing on, else of the one before that. */
export const closedUntil = (nowMs: number): string => {
  const at = new Date(nowMs);
  const months = at.getUTCDate() >= closingDay ? 0 : 1;
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months, 0)).toISOString().slice(0, 10);
};
