import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { activeBlock, retentionOf, unknownIdentifier, withBombingBlock } from '../domain/decision.ts';
import { type Identifier, mailboxOf } from '../domain/identifier.ts';
import { bombingBlockMs, recentSends, secondsUntil } from '../domain/request-budget.ts';
import { getRequestBudget, updateRequestBudget } from '../store/request-budget.ts';
import { recordIdentifierBlock } from './block-records.ts';
import type { Profile } from './profile.ts';
import { hashIdentifier } from './secrets.ts';

/**
 * Counts a send to an alias (`name+tag@`, the dots of Gmail) in the budget of its mailbox too: aliases are identifiers of their own, but
 * what one mailbox receives has one limit. 1 RRU and 1 WRU for an alias, else none.
 */
export const reserveMailboxSend = async (
  profile: Profile,
  identifier: Pick<Identifier, 'kind' | 'value'>,
  isPassing: boolean,
  at: number,
): Promise<Problem<'otp_bombing'> | undefined> => {
  const mailbox = identifier.kind === 'email' ? mailboxOf(identifier.value) : identifier.value;
  if (mailbox === identifier.value) return undefined;
  const { settings } = profile;
  const identifierHash = await hashIdentifier(profile.id, { kind: 'email', value: mailbox });
  const id = { companyId: profile.companyId, profileId: profile.id, identifierHash };
  return retryOnConflict(8, async () => {
    const budget = await getRequestBudget(id, { consistent: true });
    const state = budget ?? unknownIdentifier;
    const block = activeBlock(state, at, isPassing);
    if (block?.code === 'otp_bombing') return problem('otp_bombing', { retryAfterSeconds: secondsUntil(block.untilMs, at) });
    const recent = recentSends(state, settings, at);
    const isFull = recent.length >= settings.bombing.max_requests;
    const blockedUntil = at + bombingBlockMs(state, settings, at);
    if (isFull)
      await recordIdentifierBlock(
        profile,
        { identifierHash, identifier: { kind: 'email', value: mailbox } },
        { reason: 'otp_bombing', blockedUntil },
        at,
      );
    const set = isFull ? withBombingBlock(state, blockedUntil, at, isPassing) : { sends: [...recent, at] };
    const written = await updateRequestBudget(id, budget, { set: { ...set, ...retentionOf(settings, at) }, add: {}, remove: [] }, at);
    if (!written.done) return conflict;
    return isFull ? problem('otp_bombing', { retryAfterSeconds: secondsUntil(blockedUntil, at) }) : undefined;
  });
};
