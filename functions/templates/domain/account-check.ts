import * as z from 'zod';
import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';
import { healthStatus, isAvailable, toHealth } from '../../account/contract/health.ts';
import type { NumberState } from '../../account/contract/number-state.ts';

const health = healthStatus.optional().catch(undefined);
const stateText = z.string().max(100).optional().catch(undefined);

/** What a read of a business account says of it. */
export const providerAccount = z.looseObject({
  account_review_status: stateText,
  health_status: health,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .catch(undefined),
});
export type ProviderAccount = z.output<typeof providerAccount>;

/** What a read of a number says of it, and of what stands in the way of its messages. */
export const providerNumberState = z.looseObject({
  quality_rating: stateText,
  whatsapp_business_manager_messaging_limit: stateText,
  name_status: stateText,
  health_status: health,
});
export type ProviderNumberState = z.output<typeof providerNumberState>;

/** A check that was interrupted is due again then. */
export const checkLeaseMs = 15 * minuteMs;

/** The next time of day at which a company's accounts are read: each company has its own, so that they are spread over the day. */
export const nextCheckAt = (companyId: number, nowMs: number): number => {
  // the golden ratio spreads neighbouring ids evenly
  const place = Math.floor(((companyId * 0.618_033_988_749_895) % 1) * dayMs);
  const today = nowMs - (nowMs % dayMs) + place;
  return today > nowMs ? today : today + dayMs;
};

/**
 * What of a number is as the provider says by now, whichever webhook of it was lost. That an account is closed or restricted comes by webhook
 * alone, with its reason; a read takes it back where the provider says that account and number can send. A restriction that has an end lasts
 * until then: `AVAILABLE` does not say that campaigns are allowed again.
 */
export const observedState = (
  number: Partial<ProviderNumberState>,
  account: Partial<ProviderAccount> | undefined,
  seen: Pick<NumberState, 'accountState' | 'restrictions'>,
): Partial<NumberState> => {
  const { quality_rating: quality, whatsapp_business_manager_messaging_limit: limit, name_status: name, health_status: status } = number;
  const review = account?.account_review_status;
  const health = status && toHealth(status);
  const restrictions = seen.restrictions ?? [];
  const withEnd = restrictions.filter(({ until }) => until !== undefined);
  const isOpen = status !== undefined && isAvailable(status, 'WABA') && isAvailable(status, 'PHONE_NUMBER');
  return {
    ...(quality === undefined || unknownQualities.has(quality) ? {} : { quality }),
    ...(limit === undefined ? {} : { messagingLimit: limit }),
    ...(name === undefined || name === 'NONE' ? {} : { nameStatus: name }),
    ...(review === undefined ? {} : { accountReview: review }),
    ...(health === undefined ? {} : { health }),
    ...(account?.currency === undefined ? {} : { currency: account.currency }),
    ...(isOpen && seen.accountState !== undefined && seen.accountState !== 'ACTIVE' ? { accountState: 'ACTIVE' } : {}),
    ...(isOpen && withEnd.length < restrictions.length ? { restrictions: withEnd } : {}),
  };
};

const unknownQualities: ReadonlySet<string> = new Set(['NA', 'UNKNOWN']);
