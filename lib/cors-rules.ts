/** What a page of another origin may send and read, on AWS and on the laptop. Nothing here is a credential that a browser adds by itself. */
export const corsRules = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-public-key', 'x-secret-key', 'x-timestamp', 'x-signature'],
  exposeHeaders: [
    'x-request-id',
    'x-api-version',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'retry-after',
    'idempotent-replayed',
    'deprecation',
    'sunset',
    'link',
  ],
  maxAgeSeconds: 3_600,
} as const;
