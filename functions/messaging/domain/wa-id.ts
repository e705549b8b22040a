import type { StatusUpdate } from '../contract/webhook.ts';

/** A phone as the provider names people: digits with country code. Group ids and placeholders are none. */
export const phoneOfWaId = (name: string | undefined): string | undefined =>
  name !== undefined && /^\d{7,15}$/.test(name) ? name : undefined;

/** The person stopped marketing at the provider (provider reference §2.2): it says so when we send. */
const marketingOptOutCode = 131050;

export const isMarketingOptOut = (status: StatusUpdate): boolean =>
  status.errors?.some(({ code }) => code === marketingOptOutCode) === true;
