import { setTimeout as pause } from 'node:timers/promises';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { StoredRequest } from '../contract/stored.ts';
import {
  budgetAfter,
  decideRequest,
  passesPublicBlock,
  type DecisionInput,
  previousIn,
  type PreviousRequest,
  type RefusalCode,
  unknownIdentifier,
  withBombingBlock,
} from '../domain/decision.ts';
import { prefixOf } from '../domain/prefix.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { withResult } from '../domain/request-result.ts';
import type { PrefixCounts } from '../store/prefix.ts';
import { createRequest, deleteRequest, getRequest, updateRequestSends } from '../store/request.ts';
import { getRequestBudget, type RequestBudget, updateRequestBudget } from '../store/request-budget.ts';
import { recordIdentifierBlock } from './block-records.ts';
import { buildRequest, extendRequest, type VerificationRequest } from './build-request.ts';
import { reserveCode, returnCode } from './code-ceiling.ts';
import { enqueueCode } from './enqueue-code.ts';
import { finishRequest } from './finish-request.ts';
import { checkCountry, checkPrefix } from './fraud-breaker.ts';
import { reserveMailboxSend } from './mailbox.ts';

/** The stored request, new or reused. */
export interface RequestInProgress {
  request: StoredRequest;
  isReused: boolean;
}

export type CreateRequestProblem = Problem<RefusalCode | 'ceiling_reached' | 'fraud_blocked' | 'temporarily_unavailable'>;

const maxTries = 8;
/** A budget update is followed by its request within this time, or the process has crashed. */
const requestGraceMs = 3_000;

/**
 * Stores a new request or reuses the pending one, first in the identifier's budget, then in the request. A concurrent call makes the
 * conditional write fail; the decision is then taken again from the budget as it is now. `isOnWhitelist`: 0.5 RRU, read at most once.
 */
export const createOrReuseRequest = async (
  request: VerificationRequest,
  read: { budget: RequestBudget | undefined; prefix?: PrefixCounts | undefined },
  isOnWhitelist: () => Promise<boolean>,
): Promise<RequestInProgress | CreateRequestProblem> => {
  const { profile, purpose, identifierHash, at } = request;
  const budgetId = { companyId: profile.companyId, profileId: profile.id, identifierHash };
  const input: DecisionInput = {
    settings: profile.settings,
    purpose,
    isSilent: request.isSilent,
    isTest: request.testCode !== undefined,
    source: request.source,
    isTrusted: request.isTrusted,
    hasLiveTrust: request.hasLiveTrust,
    at,
  };
  // once for the call, however often it is decided again
  let sendLimits: Promise<CreateRequestProblem | undefined> | undefined;
  const reserveSend = () => (sendLimits ??= reserveSendLimits(request));
  const counted = { is: false };
  for (let attempt = 0, { budget } = read; attempt < maxTries; attempt++) {
    const latest = budget?.last[purpose];
    const [before, fraud] = await Promise.all([
      getPrevious(budget, purpose, attempt === 0),
      attempt === 0 ? checkFraudBreakers(request, read.prefix) : undefined,
    ]);
    if (isProblem(fraud) && !(await isOnWhitelist())) return fraud;
    if (!before && latest && latest.createdAt > at - requestGraceMs && attempt < maxTries - 1) {
      // a concurrent call has updated the budget and not yet stored its request: this call reuses that request
      await pause(25 * (attempt + 1));
    } else {
      const outcome = await tryCreateOrReuse(
        request,
        { ...input, isCounted: counted.is },
        { budgetId, budget, before, counted },
        reserveSend,
      );
      if (outcome) return outcome;
    }
    if (attempt < maxTries - 1) budget = await getRequestBudget(budgetId, { consistent: true });
  }
  return problem('temporarily_unavailable', { retryAfterSeconds: 1 });
};

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

type BudgetId = Parameters<typeof getRequestBudget>[0];

/** One try; undefined when a concurrent call changed the budget or the request. */
async function tryCreateOrReuse(
  request: VerificationRequest,
  input: DecisionInput,
  {
    budgetId,
    budget,
    before,
    counted,
  }: { budgetId: BudgetId; budget: RequestBudget | undefined; before: PreviousRequest | undefined; counted: { is: boolean } },
  reserveSend: () => Promise<CreateRequestProblem | undefined>,
): Promise<RequestInProgress | CreateRequestProblem | undefined> {
  // a retry of a call that has stored its request: the code may not be on the queue yet
  if (before?.operationId === request.operationId && before.status === 'pending') {
    const stored = await getRequest(request.profile.companyId, before.id, { consistent: true });
    // without a row the call died before it: the next try waits for the row no longer than for that of a concurrent call
    if (stored?.operationId !== request.operationId) return undefined;
    await enqueueCode(undefined, stored);
    return { request: stored, isReused: stored.createdAt < stored.lastSendAt };
  }
  const state = budget ?? unknownIdentifier;
  const decision = decideRequest(input, state, before);
  if (decision.act === 'refuse') {
    if (decision.isNewBlock && budget) await blockForBombing(request, budgetId, budget, decision.untilMs);
    return problem(decision.code, { retryAfterSeconds: secondsUntil(decision.untilMs, request.at) });
  }
  const refusal = await reserveSend();
  if (refusal) return refusal;
  const pending = decision.act === 'reuse' ? before : undefined;
  // an expired predecessor ends now, while the budget still holds its count of attempts
  if (!pending && before?.status === 'pending') {
    // a call that extends it meanwhile extends what this one has read
    const expiresBy = Math.max(before.expiresAt, budget?.last[before.purpose]?.expiresAt ?? 0);
    const ended = { ...before, ...budgetId };
    if (!(await finishRequest(ended, { status: 'expired', reason: 'expired' }, budget, { expiresBy })).done) return undefined;
  }
  const stored = pending ? await reuse() : await create();
  if (!stored) return undefined;
  await enqueueCode(pending, stored);
  return { request: stored, isReused: pending !== undefined };

  /** Budget and row at once: of a row whose budget was refused nothing is sent or published. */
  async function create(): Promise<StoredRequest | undefined> {
    const created = await buildRequest(request);
    const change = budgetAfter(input, state, before, created);
    const [updated, row] = await Promise.all([updateRequestBudget(budgetId, budget, change, request.at), createRequest(created)]);
    if (updated.done) counted.is = true;
    else
      await deleteRequest(created.companyId, created.id).catch((error: unknown) =>
        log.error('A request that was not begun could not be removed; its expiry removes it', error),
      );
    return updated.done && row.done ? row.item : undefined;
  }

  async function reuse(): Promise<StoredRequest | undefined> {
    if (!before) return undefined;
    const extended = extendRequest(request, before);
    const updated = await updateRequestBudget(budgetId, budget, budgetAfter(input, state, before, extended), request.at);
    if (!updated.done) return undefined;
    counted.is = true;
    const row = await updateRequestSends(before, sendFields(extended));
    return row.done ? row.item : undefined;
  }
}

/** The ceilings of the profile, then the limit of the mailbox that an alias belongs to. A silent request sends no code. */
async function reserveSendLimits(request: VerificationRequest): Promise<CreateRequestProblem | undefined> {
  const { profile, identifier, isSilent, testCode, at } = request;
  if (testCode !== undefined) return undefined;
  const ceiling = isSilent ? undefined : await reserveCode(profile, at);
  if (ceiling) return ceiling;
  const bombed = await reserveMailboxSend(profile, identifier, passesPublicBlock(request), at);
  if (bombed && !isSilent) returnCode(profile, at);
  return bombed;
}

async function blockForBombing(
  request: VerificationRequest,
  budgetId: BudgetId,
  budget: RequestBudget,
  blockedUntil: number,
): Promise<void> {
  await recordIdentifierBlock(request.profile, request, { reason: 'otp_bombing', blockedUntil }, request.at);
  const set = withBombingBlock(budget, blockedUntil, request.at, passesPublicBlock(request));
  await updateRequestBudget(budgetId, budget, { set, add: {}, remove: [] }, request.at);
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

/** The breakers of prefix and country. Test identifiers are not counted. */
async function checkFraudBreakers(
  { profile, identifier, country, testCode, at }: VerificationRequest,
  counts: PrefixCounts | undefined,
): Promise<Problem<'fraud_blocked'> | undefined> {
  if (testCode !== undefined || identifier.kind !== 'phone') return undefined;
  return (await checkPrefix(profile, prefixOf(identifier.value), counts, at)) ?? (await checkCountry(profile, country, at));
}
