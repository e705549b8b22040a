import * as z from 'zod';
import { entity, type ItemOf } from '../table/entity.ts';
import { pattern } from '../table/pattern.ts';
import { tenant } from '../table/schema.ts';

/** Seconds for which a request is in the log, and what it sent and got, where the company wants that: a week. */
const loggedForSeconds = 7 * 24 * 3_600;

/**
 * A request of an integration, as the request log shows it (docs/decisions/request-log.md). Written once, by the HTTP stack, under the request's
 * own id: ids are in the order of time.
 */
const loggedRequestEntity = entity({
  name: 'logged-request',
  purpose: 'A call of a token: its operation, how it ended, and what it sent and got where the company wants that',
  attributes: z.object({
    companyId: z.int(),
    requestId: z.string(),
    /** Epoch milliseconds: when it came. */
    at: z.int(),
    operation: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.int(),
    code: z.string().optional(),
    ms: z.int(),
    credentialId: z.int(),
    credentialKind: z.string(),
    userId: z.int().optional(),
    ip: z.string(),
    userAgent: z.string().optional(),
    /** The fields that were refused. */
    fields: z.array(z.string().max(300)).max(20).optional(),
    /** The answer was the one stored under its Idempotency-Key. */
    replayed: z.literal(true).optional(),
    /** JSON without secrets, cut. */
    sent: z.string().optional(),
    got: z.string().optional(),
    /** Epoch seconds. */
    until: z.int(),
  }),
  key: ({ companyId, requestId }: { companyId: number; requestId: string }) => ({ pk: partition(companyId), sk: requestId }),
  idOf: ({ companyId, requestId }) => ({ companyId, requestId }),
  expiresAt: ({ until }) => until,
  personalData: 'address of a caller; where the company wants bodies, what the call sent and got',
  endsBy: 'expiry, after a week',
  example: { pk: 'C#<company>#REQUESTS', sk: '<request id>' },
});
export type LoggedRequest = ItemOf<typeof loggedRequestEntity>;

/** Written by an update: every function that takes tokens may make one. */
export const logRequest = pattern(
  { question: 'how a call of a token ended', entity: 'logged-request', by: 'UpdateItem', units: '1 WRU; with bodies 1 per KB' },
  async ({ companyId, requestId, ...rest }: Omit<LoggedRequest, 'until'>): Promise<void> => {
    const until = Math.floor(rest.at / 1_000) + loggedForSeconds;
    await loggedRequestEntity.change({ companyId, requestId }, { set: { companyId, requestId, ...rest, until, ttl: until } });
  },
);

/** Newest first, behind the request with this id. */
export const listStoredRequests = pattern(
  { question: 'calls of tokens, newest first', entity: 'logged-request', by: 'Query', units: '0.5 RRU per 4 KB (about 12 calls)' },
  (companyId: number, before: string | undefined, atMost: number): Promise<LoggedRequest[]> =>
    loggedRequestEntity.collect(
      {
        pk: partition(companyId),
        descending: true,
        ...(before === undefined ? {} : { after: { ...loggedRequestEntity.key({ companyId, requestId: before }) } }),
      },
      { atMost },
    ),
);

export const getStoredRequest = pattern(
  { question: 'one call of a token', entity: 'logged-request', by: 'GetItem', units: '0.5 RRU per 4 KB' },
  (companyId: number, requestId: string): Promise<LoggedRequest | undefined> => loggedRequestEntity.get({ companyId, requestId }),
);

function partition(companyId: number): string {
  return `${tenant(companyId)}#REQUESTS`;
}
