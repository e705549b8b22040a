import * as z from 'zod';
import { countInWindow, staleWindowFields } from '../../../shared/access/window.ts';
import { above, all, any, below, differs, equals, exists, missing, type Removable } from '../../../shared/table/condition.ts';
import { getTogether } from '../../../shared/table/batch-get.ts';
import { entity, type ItemOf, type Written, type ChangeOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { channel, requestBudgetEntityName } from '../contract/stored.ts';
import { attemptBudgetReason, type RequestBudgetChange } from '../domain/decision.ts';
import { attemptResult, openResult, type ResultFields } from '../domain/request-result.ts';
import { attemptField, hourField, resultField, sourceAttemptField, sourceBlockField, sourceField } from '../domain/request-budget.ts';
import { callsPerMinute } from '../domain/limits.ts';
import { type PrefixCounts, prefixEntity, type PrefixId } from './prefix.ts';

const latestRequest = z.object({
  id: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
  label: z.string().optional(),
  sends: z.int().optional(),
  lastSendAt: z.int().optional(),
  operationId: z.string().optional(),
  requester: z.string().optional(),
  isShared: z.literal(true).optional(),
  isTrusted: z.literal(true).optional(),
  channel: channel.optional(),
});
const trustedRequest = z.object({ id: z.string(), purpose: z.string(), provenAt: z.int(), label: z.string().optional() });

export const requestBudgetEntity = entity({
  name: requestBudgetEntityName,
  purpose: 'What the verification requests of an identifier share: sends, attempts, blocks, trusted requests',
  attributes: z.looseObject({
    companyId: z.int(),
    profileId: z.string(),
    identifierHash: z.string(),
    rev: z.int().default(0),
    /** When sends were requested, newest last, epoch milliseconds. */
    sends: z.array(z.int()).default([]),
    /** Those of servers of the company; absent: none, or of a version that counted them with the others. */
    serverSends: z.array(z.int()).optional(),
    blockedUntil: z.int().optional(),
    blockReason: z.string().optional(),
    /** Whether trusted callers and users with a live trust key pass the block. */
    blockScope: z.enum(['public', 'all']).optional(),
    /** When blocks began: a repeated block lasts longer. */
    blocks: z.array(z.int()).default([]),
    /** Attempts of the last 24 hours. Fields of their own count them by hour, source and request (domain/request-budget.ts). */
    spent: z.int().default(0),
    last: z.record(z.string(), latestRequest).default({}),
    trusted: z.array(trustedRequest).default([]),
    /** Verifications before this time are no longer trusted. */
    trustFrom: z.int().optional(),
    until: z.int().default(0),
  }),
  key: ({ companyId, profileId, identifierHash }: RequestBudgetId) => ({
    pk: `${tenant(companyId)}#V#${profileId}#${identifierHash}`,
    sk: 'BUDGET',
  }),
  idOf: ({ companyId, profileId, identifierHash }) => ({ companyId, profileId, identifierHash }),
  expiresAt: ({ until }) => until,
  personalData: 'a keyed hash of phone or email, what was verified',
  example: { pk: 'C#<company>#V#<profile>#<keyed hash of the identifier>', sk: 'BUDGET' },
});
export type RequestBudget = ItemOf<typeof requestBudgetEntity>;
export interface RequestBudgetId {
  companyId: number;
  profileId: string;
  identifierHash: string;
}

type RequestBudgetFields = NonNullable<ChangeOf<typeof requestBudgetEntity>['set']>;

export const getRequestBudget = pattern(
  { question: 'the request budget of an identifier', entity: 'verification-request-budget', by: 'GetItem', units: '0.5 RRU' },
  (id: RequestBudgetId, options: { consistent?: boolean } = {}): Promise<RequestBudget | undefined> => requestBudgetEntity.get(id, options),
);

/**
 * Writes a decision on the budget as it was read; fails when a concurrent request decided meanwhile. Attempts may be reserved in parallel.
 * Without a budget the item is made by an update too: it takes the time that a change of a known identifier's budget takes. An expired one
 * that DynamoDB has not deleted yet is replaced as a whole.
 */
export const updateRequestBudget = pattern(
  { question: 'apply a decision to a request budget', entity: 'verification-request-budget', by: 'UpdateItem', units: '1 WRU' },
  async (
    id: RequestBudgetId,
    budget: RequestBudget | undefined,
    { set, add, remove, mustBeOpen }: RequestBudgetChange,
    at: number,
  ): Promise<Written<RequestBudget>> => {
    if (budget)
      return requestBudgetEntity.change(
        id,
        { set: { ...set, rev: budget.rev + 1 }, add, remove: [...remove, ...staleWindowFields(budget, at)] },
        mustBeOpen === undefined ? equals('rev', budget.rev) : all(equals('rev', budget.rev), isOpen(mustBeOpen)),
      );
    const first = { ...id, ...set, rev: 1 };
    const written = await requestBudgetEntity.change(id, { set: { ...first, kind: requestBudgetEntity.name } }, missing());
    const isExpired = !written.done && written.current === undefined;
    return isExpired ? requestBudgetEntity.put(requestBudgetEntity.parse(first), missing()) : written;
  },
);

const isOpen = (requestId: string) => any(missing(resultField(requestId)), equals(resultField(requestId), openResult));

/** Ends an open request in its budget, unless a concurrent call changed the budget by a decision. */
export const updateRequestResult = pattern(
  { question: 'end a request in its budget', entity: 'verification-request-budget', by: 'UpdateItem', units: '1 WRU' },
  (budget: RequestBudget, requestId: string, set: ResultFields): Promise<Written<RequestBudget>> =>
    requestBudgetEntity.change(budget, { set }, all(equals('rev', budget.rev), isOpen(requestId))),
);

/** A request budget and the counts of a phone prefix, which a decision on a request needs. */
export const getRequestBudgetAndPrefix = pattern(
  {
    question: 'the request budget of an identifier, and the counts of its prefix',
    entity: 'verification-request-budget',
    by: 'BatchGetItem',
    units: '0.5 RRU each',
  },
  (id: RequestBudgetId, prefix: PrefixId | undefined): Promise<{ budget: RequestBudget | undefined; prefix?: PrefixCounts | undefined }> =>
    prefix === undefined
      ? getTogether({ budget: requestBudgetEntity.getting(id) })
      : getTogether({ budget: requestBudgetEntity.getting(id), prefix: prefixEntity.getting(prefix) }),
);

/** 30 calls a minute of a credential for one request. */
const callReservation = (credentialId: number, requestId: string, at: number) =>
  countInWindow(`${credentialId}:${requestId}`, callsPerMinute, at);

/** What an attempt must stay below. */
export interface AttemptLimit {
  /** At the request, of all sources; of this one where sources are counted apart. */
  attempts: number;
  sourceAttempts: number | undefined;
  /** Within 24 hours, of this source; undefined: the source may use what is left of the identifier's budget. */
  sourceBudget: number | undefined;
  /** Within 24 hours, of all sources. */
  budget: number;
  /** The caller passes a block that public keys caused. */
  isPassing: boolean;
}

/** An attempt of a source, within the budgets of the source and of the identifier. */
const attemptReservation = (
  source: string,
  { sourceBudget, budget, isPassing }: Omit<AttemptLimit, 'attempts' | 'sourceAttempts'>,
  at: number,
) => {
  const [counter, blocked] = [sourceField(source), sourceBlockField(source)];
  return {
    add: { [hourField(at, source)]: 1, [counter]: 1, spent: 1 },
    condition: all(
      exists(),
      any(missing('spent'), below('spent', budget)),
      ...(sourceBudget === undefined
        ? []
        : [any(missing(counter), below(counter, sourceBudget)), any(missing(blocked), below(blocked, at))]),
      any(
        missing('blockReason'),
        differs('blockReason', attemptBudgetReason),
        below('blockedUntil', at),
        ...(isPassing ? [equals('blockScope', 'public')] : []),
      ),
    ),
  };
};

/**
 * Counts a call of /verify and, with a limit, reserves an attempt before the comparison counts. Fails beyond 30 calls a minute, the attempts
 * of the request, the budgets of the source and of the identifier, or while a block by them lasts. Without a limit the request is finished.
 * `result`: what the comparison makes of an open request, in the same write; it fails when the request has ended.
 */
export const reserveAttempt = pattern(
  { question: 'reserve an attempt for an identifier', entity: 'verification-request-budget', by: 'UpdateItem', units: '1 WRU' },
  (
    id: RequestBudgetId,
    credentialId: number,
    { requestId, source, result }: { requestId: string; source: string; result?: ResultFields | undefined },
    limit: AttemptLimit | undefined,
    at: number,
  ): Promise<Written<RequestBudget>> => {
    const call = callReservation(credentialId, requestId, at);
    if (!limit) {
      // a request that a rule refused has no budget yet
      const until = Math.floor(at / 1_000) + 3_600;
      const change = { ...call.change, set: { ...id, kind: requestBudgetEntity.name }, setOnce: { until, ttl: until } };
      return requestBudgetEntity.change(id, change, call.condition);
    }
    const [field, ofSource] = [attemptField(requestId), sourceAttemptField(requestId, source)];
    const attempt = attemptReservation(source, limit, at);
    return requestBudgetEntity.change(
      id,
      { ...call.change, ...(result ? { set: result } : {}), add: { ...call.change.add, ...attempt.add, [field]: 1, [ofSource]: 1 } },
      all(
        ...(result ? [isOpen(requestId)] : []),
        attempt.condition,
        call.condition,
        any(missing(field), below(field, limit.attempts)),
        ...(limit.sourceAttempts === undefined ? [] : [any(missing(ofSource), below(ofSource, limit.sourceAttempts))]),
      ),
    );
  },
);

/**
 * The same for an unknown request id, counted by the source address: an equal write to an item that limits nothing and expires in an hour,
 * so that the response time does not reveal whether an id exists.
 */
export const reserveUnknownAttempt = pattern(
  { question: 'reserve an attempt for an unknown request', entity: 'verification-request-budget', by: 'UpdateItem', units: '1 WRU' },
  (
    { companyId, profileId, address }: { companyId: number; profileId: string; address: string },
    credentialId: number,
    source: string,
    at: number,
  ): Promise<Written<RequestBudget>> => {
    const id = { companyId, profileId, identifierHash: `unknown-${address}`.padEnd(40, '-') };
    const call = callReservation(credentialId, unknownRequestId, at);
    const [counter, blocked] = [sourceField(source), sourceBlockField(source)];
    const until = Math.floor(at / 1_000) + 3_600;
    return requestBudgetEntity.change(
      id,
      {
        ...call.change,
        add: {
          ...call.change.add,
          [attemptField(unknownRequestId)]: 1,
          [sourceAttemptField(unknownRequestId, source)]: 1,
          [hourField(at, source)]: 1,
          [counter]: 1,
          spent: 1,
        },
        set: { ...id, kind: requestBudgetEntity.name, until, ttl: until, ...attemptResult(unknownRequestId, undefined, source, at) },
        setOnce: {
          last: { default: { id: unknownRequestId, createdAt: at, expiresAt: at } },
          sends: [at],
          blocks: [],
          trusted: [],
          rev: 1,
        },
      },
      all(
        isOpen(unknownRequestId),
        call.condition,
        any(missing('spent'), below('spent', Number.MAX_SAFE_INTEGER)),
        any(missing(counter), below(counter, Number.MAX_SAFE_INTEGER)),
        any(missing(blocked), below(blocked, at)),
        any(missing('blockReason'), differs('blockReason', attemptBudgetReason), below('blockedUntil', at)),
      ),
    );
  },
);

/** Reserves an attempt at a caller's own label, before it is compared: fails beyond the budgets, or while a block lasts, for who passes it with a code as well. */
export const reserveLabelAttempt = pattern(
  { question: 'reserve an attempt at a label', entity: 'verification-request-budget', by: 'UpdateItem', units: '1 WRU' },
  (
    id: RequestBudgetId,
    source: string,
    limit: Pick<AttemptLimit, 'sourceBudget' | 'budget'>,
    at: number,
  ): Promise<Written<RequestBudget>> => {
    const attempt = attemptReservation(source, { ...limit, isPassing: false }, at);
    return requestBudgetEntity.change(id, { add: attempt.add }, attempt.condition);
  },
);

/** Gives an attempt back whose label was right. */
export const returnLabelAttempt = pattern(
  { question: 'return an attempt at a label', entity: 'verification-request-budget', by: 'UpdateItem', units: '1 WRU' },
  async (id: RequestBudgetId, source: string, at: number): Promise<void> => {
    const [hour, counter] = [hourField(at, source), sourceField(source)];
    await requestBudgetEntity.change(id, { add: { [hour]: -1, [counter]: -1, spent: -1 } }, all(above(hour, 0), above(counter, 0)));
  },
);

/** An id that no request has. */
export const unknownRequestId = '00000000-0000-4000-8000-000000000000';

/** Sets fields of an existing budget: a block, the end of one, revoked trust. */
export const updateRequestBudgetFields = pattern(
  {
    question: 'block an identifier, end its block, revoke its trust',
    entity: 'verification-request-budget',
    by: 'UpdateItem',
    units: '1 WRU',
  },
  (id: RequestBudgetId, set: RequestBudgetFields, remove: readonly Removable<RequestBudget>[] = []): Promise<Written<RequestBudget>> =>
    requestBudgetEntity.change(id, { set, remove }, exists()),
);
