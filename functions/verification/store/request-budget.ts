import * as z from 'zod';
import { countInWindow, staleWindowFields } from '../../../shared/access/window.ts';
import { all, any, below, differs, equals, exists, missing, type Removable } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written, type ChangeOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { attemptBudgetReason, type RequestBudgetChange } from '../domain/decision.ts';
import { attemptField, hourField } from '../domain/request-budget.ts';
import { callsPerMinute } from '../domain/limits.ts';

const latestRequest = z.object({ id: z.string(), createdAt: z.int(), expiresAt: z.int(), label: z.string().optional() });
const trustedRequest = z.object({ id: z.string(), purpose: z.string(), provenAt: z.int(), label: z.string().optional() });

export const requestBudgetEntity = entity({
  name: 'verification-guard',
  purpose: "What a person's verifications share: messages sent, guesses, blocks, trusted requests",
  attributes: z.looseObject({
    companyId: z.int(),
    profileId: z.string(),
    person: z.string(),
    rev: z.int().default(0),
    /** When messages were asked for, newest last, epoch milliseconds. */
    sends: z.array(z.int()).default([]),
    blockedUntil: z.int().optional(),
    blockReason: z.string().optional(),
    /** When blocks began, for the longer ones that follow. */
    blocks: z.array(z.int()).default([]),
    /** Guesses of the last 24 hours; `h:<hour>` has them by hour, `g:<request>` by request. */
    spent: z.int().default(0),
    last: z.record(z.string(), latestRequest).default({}),
    trusted: z.array(trustedRequest).default([]),
    /** Proofs from before are trusted no longer. */
    trustFrom: z.int().optional(),
    until: z.int().default(0),
  }),
  key: ({ companyId, profileId, person }: RequestBudgetId) => ({ pk: `${tenant(companyId)}#V#${profileId}#${person}`, sk: 'GUARD' }),
  idOf: ({ companyId, profileId, person }) => ({ companyId, profileId, person }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<profile>#<keyed hash of the identifier>', sk: 'GUARD' },
});
export type RequestBudget = ItemOf<typeof requestBudgetEntity>;
export interface RequestBudgetId {
  companyId: number;
  profileId: string;
  person: string;
}

type GuardSet = NonNullable<ChangeOf<typeof requestBudgetEntity>['set']>;

export const getRequestBudget = pattern(
  { question: "what a person's verifications share", entity: 'verification-guard', by: 'GetItem', units: '0.5 RRU' },
  (id: RequestBudgetId, options: { consistent?: boolean } = {}): Promise<RequestBudget | undefined> => requestBudgetEntity.get(id, options),
);

/**
 * Writes what was decided on a guard as it was read; refused when another request decided meanwhile. Guesses may be counted beside it.
 * Without a guard (none, or one whose time is over though the table still holds it) it is written whole.
 */
export const updateRequestBudget = pattern(
  { question: "a decision on a person's requests", entity: 'verification-guard', by: 'UpdateItem', units: '1 WRU' },
  (
    id: RequestBudgetId,
    guard: RequestBudget | undefined,
    { set, add, remove }: RequestBudgetChange,
    at: number,
  ): Promise<Written<RequestBudget>> =>
    guard
      ? requestBudgetEntity.change(
          id,
          { set: { ...set, rev: guard.rev + 1 }, add, remove: [...remove, ...staleWindowFields(guard, at)] },
          equals('rev', guard.rev),
        )
      : requestBudgetEntity.put(requestBudgetEntity.parse({ ...id, ...set, rev: 1 }), missing()),
);

/** Whose call at which request: what 30 calls a minute are counted by (V16). */
const callReservation = (credentialId: number, requestId: string, at: number) =>
  countInWindow(`${credentialId}:${requestId}`, callsPerMinute, at);

export interface AttemptLimit {
  attempts: number;
  budget: number;
}

/**
 * Counts a call of /verify, and with a limit the guess too, before anything is compared: refused beyond 30 calls a minute, the request's
 * attempts or the person's budget, or while the budget's block lasts. Without a limit nothing will be compared: the request is over.
 */
export const reserveAttempt = pattern(
  { question: 'may this person guess once more', entity: 'verification-guard', by: 'UpdateItem', units: '1 WRU' },
  (
    id: RequestBudgetId,
    credentialId: number,
    requestId: string,
    limit: AttemptLimit | undefined,
    at: number,
  ): Promise<Written<RequestBudget>> => {
    const call = callReservation(credentialId, requestId, at);
    if (!limit) {
      // a request that a rule refused has no guard: the count needs one all the same
      const until = Math.floor(at / 1_000) + 3_600;
      const change = { ...call.change, set: { ...id, kind: requestBudgetEntity.name }, setOnce: { until, ttl: until } };
      return requestBudgetEntity.change(id, change, call.condition);
    }
    const field = attemptField(requestId);
    const within = all(
      exists(),
      call.condition,
      any(missing(field), below(field, limit.attempts)),
      any(missing('spent'), below('spent', limit.budget)),
      any(missing('blockReason'), differs('blockReason', attemptBudgetReason), below('blockedUntil', at)),
    );
    return requestBudgetEntity.change(
      id,
      { ...call.change, add: { ...call.change.add, [field]: 1, [hourField(at)]: 1, spent: 1 } },
      within,
    );
  },
);

/**
 * The same work for a request that nobody has, counted by the address (V16): the same write, as long and as large, on a guard that guards
 * nothing and is gone in an hour. Time must not tell an unknown id from a wrong code.
 */
export const reserveUnknownAttempt = pattern(
  { question: 'a guess at an unknown verification', entity: 'verification-guard', by: 'UpdateItem', units: '1 WRU' },
  (companyId: number, profileId: string, credentialId: number, address: string, at: number): Promise<Written<RequestBudget>> => {
    const id = { companyId, profileId, person: `unknown-${address}`.padEnd(40, '-') };
    const call = callReservation(credentialId, unknownRequestId, at);
    const until = Math.floor(at / 1_000) + 3_600;
    return requestBudgetEntity.change(
      id,
      {
        ...call.change,
        add: { ...call.change.add, [attemptField(unknownRequestId)]: 1, [hourField(at)]: 1, spent: 1 },
        set: { ...id, kind: requestBudgetEntity.name, until, ttl: until },
        setOnce: {
          last: { default: { id: unknownRequestId, createdAt: at, expiresAt: at } },
          sends: [at],
          blocks: [],
          trusted: [],
          rev: 1,
        },
      },
      all(
        call.condition,
        any(missing('spent'), below('spent', Number.MAX_SAFE_INTEGER)),
        any(missing('blockReason'), differs('blockReason', attemptBudgetReason), below('blockedUntil', at)),
      ),
    );
  },
);

/** An id that no request has. */
export const unknownRequestId = '00000000-0000-4000-8000-000000000000';

/** Blocks a person, or ends what blocks them: a new count from here on. */
export const updateRequestBudgetFields = pattern(
  { question: 'a block of a person, or its end; trust taken back', entity: 'verification-guard', by: 'UpdateItem', units: '1 WRU' },
  (id: RequestBudgetId, set: GuardSet, remove: readonly Removable<RequestBudget>[] = []): Promise<Written<RequestBudget>> =>
    requestBudgetEntity.change(id, { set, remove }, exists()),
);
