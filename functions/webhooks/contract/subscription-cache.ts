/**
 * How long a stream consumer believes what it read of a company's endpoints, milliseconds. A call that changes them answers no sooner, so
 * what it answered holds for everything that happens afterwards.
 */
export const subscriptionCacheSettings = { WEBHOOK_CACHE_MS: '3000' };
