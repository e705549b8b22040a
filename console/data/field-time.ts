/** A time as the field of the browser takes it: local, to the minute. `at` is epoch milliseconds. */
export const toFieldTime = (at: number): string => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Epoch milliseconds of a full hour so many days from now, by the calendar of the browser: a day may have 23 or 25 hours. */
export const inDays = (now: number, days: number, hour: number): number => {
  const today = new Date(now);
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hour).getTime();
};

/** When a day's work begins. */
export const morning = 9;
