import { productNow } from '../../components/time.tsx';

const hours = { hour: 1, day: 24, week: 168, month: 720 } as const;
export type Since = keyof typeof hours;

/** How far back a page of deliveries may look. */
export const sinces = Object.keys(hours) as readonly Since[];
export const isSince = (value: string | undefined): value is Since => value !== undefined && value in hours;

/** The time so long ago, to the second: the log goes back 30 days, and a minute less is surely in it. */
export const timeSince = (since: Since): string =>
  new Date(Math.floor((productNow() - hours[since] * 3_600_000 + (since === 'month' ? 60_000 : 0)) / 1_000) * 1_000).toISOString();
