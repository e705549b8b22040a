import type { StatusUpdate } from '../contract/provider-update.ts';

/** The phone in the provider's `wa_id`: digits with country code. Group ids and placeholders are not phones. */
export const phoneOfWaId = (name: string | undefined): string | undefined =>
  name !== undefined && /^\d{7,15}$/.test(name) ? name : undefined;

/** The provider's error code when the recipient stopped marketing messages at the provider. */
const marketingOptOutCode = 131050;

export const isMarketingOptOut = (status: StatusUpdate): boolean =>
  status.errors?.some(({ code }) => code === marketingOptOutCode) === true;
