import { setTimeout as pause } from 'node:timers/promises';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { log } from '../../../shared/runtime/log.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { StoredRequest } from '../contract/stored.ts';
import {
  budgetAfter,
  decideRequest,
  isBeingStored,
  type DecisionInput,
  type SendDecision,
  previousIn,
  type PreviousRequest,
  type RefusalCode,
  unknownIdentifier,
} from '../domain/decision.ts';
import { resendTime } from '../domain/code.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { withResult } from '../domain/request-result.ts';
import { createRequest, deleteRequest, getRequest, updateRequestSends } from '../store/request.ts';
import { getRequestBudget, type RequestBudget, type RequestBudgetId, updateRequestBudget } from '../store/request-budget.ts';
import { buildRequest, extendRequest, type VerificationRequest } from './build-request.ts';
import { reserveCode, returnCode } from './code-ceiling.ts';
import { enqueueCode } from './enqueue-code.ts';
import { finishRequest } from './finish-request.ts';
import { reserveMailboxSend, reserveMailOfNewBrowser } from './mailbox.ts';

/** The stored request, new or reused. */
export interface RequestInProgress {
  request: StoredRequest;
  isReused: boolean;
  /** When the next message of it may leave, epoch milliseconds. */
  nextSendAt: number;
}

export type CreateRequestProblem = Problem<RefusalCode | 'ceiling_reached' | 'temporarily_unavailable'>;

const maxTries = 8;

/** What an attempt begins with. What an earlier one reserved or counted is not reserved or counted again. */
interface Attempt {
  budget: RequestBudget | undefined;
  /** The latest request of the purpose. */
  before: PreviousRequest | undefined;
  /** The send has its place under the limits of profile and mailbox. */
  isReserved: boolean;
  /** The send is in the budget. */
  isCounted: boolean;
}

type Outcome =
  | { done: RequestInProgress | CreateRequestProblem }
  /** A concurrent call changed the budget or the request: the next attempt decides again. */
  | { again: Pick<Attempt, 'isReserved' | 'isCounted'> };

/**
 * Stores a new request or reuses the pending one, first in the identifier's budget, then in the request. A concurrent call makes the
 * conditional write fail; the decision is then taken again from the budget as it is now.
 */
export const createOrReuseRequest = (
  request: VerificationRequest,
  readBudget: RequestBudget | undefined,
): Promise<RequestInProgress | CreateRequestProblem> => {
  let taken = { isReserved: false, isCounted: false };
  return retryOnConflict<RequestInProgress | CreateRequestProblem>(
    maxTries,
    async (attempt) => {
      const budget = attempt === 1 ? readBudget : await getRequestBudget(budgetIdOf(request), { consistent: true });
      const before = await getPrevious(budget, request.purpose, attempt === 1);
      if (isBeingStored(budget?.last[request.purpose], before, request.at) && attempt < maxTries) {
        // the request of the concurrent call is reused once it is stored
        await pause(25 * attempt);
        return conflict;
      }
      const outcome = await tryCreateOrReuse(request, { budget, before, ...taken });
      if ('done' in outcome) return outcome.done;
      taken = outcome.again;
      return conflict;
    },
    () => problem('temporarily_unavailable', { retryAfterSeconds: 1 }),
  );
};

const budgetIdOf = ({ profile, identifierHash }: VerificationRequest): RequestBudgetId => ({
  companyId: profile.companyId,
  profileId: profile.id,
  identifierHash,
});

/**
 * The latest request of the purpose: as the budget has it, so that a known identifier costs the calls of an unknown one. Where a write was
 * refused, as its row has it: a call that died between the two left them different. 1 RRU.
 */
async function getPrevious(budget: RequestBudget | undefined, purpose: string, isFirst: boolean): Promise<PreviousRequest | undefined> {
  const latest = budget?.last[purpose];
  if (!budget || !latest) return undefined;
  const held = isFirst ? previousIn(budget, purpose) : undefined;
  if (held) return held;
  const row = await getRequest(budget.companyId, latest.id, { consistent: true });
  return row && withResult(row, budget);
}

async function tryCreateOrReuse(request: VerificationRequest, attempt: Attempt): Promise<Outcome> {
  const { budget, before, isReserved, isCounted } = attempt;
  const { settings } = request.profile;
  const input: DecisionInput = { ...request, settings, isTest: request.testCode !== undefined, isCounted };
  const decision = decideRequest(input, budget ?? unknownIdentifier, before);
  if (decision.act === 'resume') return resume(request, decision.own, attempt);
  if (decision.act === 'refuse') return { done: problem(decision.code, { retryAfterSeconds: secondsUntil(decision.untilMs, request.at) }) };
  const { send } = decision;
  const refusal = isReserved || !send.isSent ? undefined : await reserveSendLimits(request);
  if (refusal) return { done: refusal };
  // an expired predecessor ends now, while the budget still holds its count of attempts
  if (decision.act === 'create' && decision.expired && !(await endExpired(request, decision.expired, budget)))
    return { again: { isReserved: isReserved || send.isSent, isCounted } };
  const pending = decision.act === 'reuse' ? decision.pending : undefined;
  const written = await (pending ? reuse(request, pending, attempt, { input, send }) : create(request, attempt, { input, send }));
  if (!written.row) return { again: { isReserved: isReserved || send.isSent, isCounted: isCounted || (written.isCounted && send.isSent) } };
  await enqueueCode(pending, written.row);
  return { done: { request: written.row, isReused: pending !== undefined, nextSendAt: send.nextSendAt } };
}

/** A retry of a call that has stored its request: the code may not be on the queue yet. */
async function resume(request: VerificationRequest, own: PreviousRequest, attempt: Attempt): Promise<Outcome> {
  const { profile, operationId } = request;
  const stored = await getRequest(profile.companyId, own.id, { consistent: true });
  // without a row the call died before it: the next try waits for the row no longer than for that of a concurrent call
  if (stored?.operationId !== operationId) return { again: attempt };
  await enqueueCode(undefined, stored);
  const nextSendAt = Math.max(request.at, resendTime(request.profile.settings.otp, stored));
  return { done: { request: stored, isReused: stored.createdAt < stored.lastSendAt, nextSendAt } };
}

/** False: a concurrent call changed it. A call that extends it meanwhile extends what this one has read. */
async function endExpired(request: VerificationRequest, expired: PreviousRequest, budget: RequestBudget | undefined): Promise<boolean> {
  const expiresBy = Math.max(expired.expiresAt, budget?.last[expired.purpose]?.expiresAt ?? 0);
  return (await finishRequest({ ...expired, ...budgetIdOf(request) }, { status: 'expired', reason: 'expired' }, budget, { expiresBy }))
    .done;
}

interface Decided {
  input: DecisionInput;
  send: SendDecision;
}

interface WrittenRequest {
  row: StoredRequest | undefined;
  isCounted: boolean;
}

/** Budget and row at once: of a row whose budget was refused nothing is sent or published. */
async function create(request: VerificationRequest, { budget, before }: Attempt, { input, send }: Decided): Promise<WrittenRequest> {
  const created = await buildRequest(request, send.openUntil);
  const change = budgetAfter(input, budget ?? unknownIdentifier, before, created, send.isSent);
  const [updated, row] = await Promise.all([updateRequestBudget(budgetIdOf(request), budget, change, request.at), createRequest(created)]);
  if (!updated.done)
    await deleteRequest(created.companyId, created.id).catch((error: unknown) =>
      log.error('A request that was not begun could not be removed; its expiry removes it', error),
    );
  return { row: updated.done && row.done ? row.item : undefined, isCounted: updated.done };
}

async function reuse(
  request: VerificationRequest,
  pending: PreviousRequest,
  { budget }: Attempt,
  { input, send }: Decided,
): Promise<WrittenRequest> {
  const extended = extendRequest(request, pending, send);
  const change = budgetAfter(input, budget ?? unknownIdentifier, pending, extended, send.isSent);
  const updated = await updateRequestBudget(budgetIdOf(request), budget, change, request.at);
  if (!updated.done) return { row: undefined, isCounted: false };
  const row = await updateRequestSends(pending, sendFields(extended));
  return { row: row.done ? row.item : undefined, isCounted: true };
}

/** The ceilings of the profile, then the limit of the mailbox that an alias belongs to. */
async function reserveSendLimits(request: VerificationRequest): Promise<CreateRequestProblem | undefined> {
  const { profile, identifier, testCode, at } = request;
  if (testCode !== undefined) return undefined;
  // of a sign-in the worker counts the mails that leave: calls for addresses of no one use up no ceiling
  if (request.browser) return request.browser.isKnown ? undefined : reserveMailOfNewBrowser(profile, identifier, at);
  const ceiling = await reserveCode(request, at);
  if (ceiling) return ceiling;
  const bombed = await reserveMailboxSend(profile, identifier, request.isTrusted, at);
  if (bombed) returnCode(request, at);
  return bombed;
}

/** What another call changes of a pending request. A label and the sole requester are only ever removed, whatever call is written last. */
const sendFields = ({
  expiresAt,
  sends,
  lastSendAt,
  operationId,
  label,
  isShared,
  trustedSource,
  requestedAt,
}: ReturnType<typeof extendRequest>): Partial<StoredRequest> => ({
  expiresAt,
  sends,
  lastSendAt,
  operationId,
  requestedAt,
  ...(label === undefined ? { label } : {}),
  ...(isShared ? { isShared } : {}),
  ...(trustedSource === undefined ? {} : { trustedSource }),
});
