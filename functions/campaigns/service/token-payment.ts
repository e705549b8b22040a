import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import {
  afterRefusal,
  type CallCredential,
  getTokenCeiling,
  tokenCeilingProblem,
  type StoredTokenCeiling,
  takeMoney,
  takingMoney,
  type TokenSpend,
} from '../../spend/service/token-ceilings.ts';
import type { CampaignChanges, CampaignInput } from '../contract/campaign-input.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { addCampaign, type AddedCampaign, type CampaignKey } from '../store/campaign.ts';

/**
 * Campaigns of a token with a ceiling. What a campaign may spend is taken from the token's day when it is created, since it is sent by workers,
 * later and for no caller. How many messages it has is not known then, so a token with a ceiling of messages makes none.
 */

type Refused = Problem<'validation_failed' | 'spend_limit_reached'>;

/** The ceiling that a new campaign is paid from; undefined: the call is under none. A Problem where it may not make this campaign. */
export const payerOf = async (
  caller: CallCredential,
  limit: CampaignInput['spend_limit'],
): Promise<StoredTokenCeiling | undefined | Refused> => {
  const ceiling = await getTokenCeiling(caller);
  return ceiling && (unpayable(ceiling, limit?.currency) ?? ceiling);
};

type Added = Exclude<AddedCampaign, { outcome: 'unpaid' }>;

/** Adds the campaign and takes its `spend_limit` from the ceiling of its payer, in one transaction: both once, or neither. */
export const addPaidCampaign = (
  campaign: StoredCampaign,
  key: CampaignKey | undefined,
  more: readonly TransactionPart[],
  payer: StoredTokenCeiling | undefined,
): Promise<Added | Refused> => {
  const { spendLimit } = campaign;
  let seen = payer;
  return retryOnConflict<Added | Refused>(maxConflicts, async () => {
    if (!seen || !spendLimit) {
      const added = await addCampaign(campaign, key, more);
      if (added.outcome === 'unpaid') throw new Error('A campaign that is paid for by no token was refused by one.');
      return added;
    }
    // another ceiling may have come since
    const refused = unpayable(seen, spendLimit.currency);
    if (refused) return refused;
    const added = await addCampaign({ ...campaign, paidByToken: seen.id }, key, more, takingMoney(seen, spendLimit.micros));
    if (added.outcome !== 'unpaid') return added;
    const next = afterRefusal(seen, added.current, { micros: spendLimit.micros });
    if (isProblem(next)) return next;
    seen = next;
    return conflict;
  });
};

/**
 * Why a call may not make a campaign send: its token has a ceiling, and the campaign was not paid for by it. One that was has its `spend_limit`, within
 * which it sends what it likes.
 */
export const unpaidProblem = async (
  caller: CallCredential,
  { paidByToken, spendLimit }: StoredCampaign,
): Promise<Problem<'spend_limit_reached'> | undefined> => {
  const ceiling = await getTokenCeiling(caller);
  if (!ceiling || (paidByToken === ceiling.id && spendLimit !== undefined && ceiling.messages === undefined)) return undefined;
  return tokenCeilingProblem(ceiling, undefined, {
    message:
      'The token of this call has a ceiling, and did not pay for this campaign: with it the campaign is only paused, renamed or deleted.',
    remedy: 'Create a campaign with the token, with a spend_limit, or use a token without a ceiling.',
  });
};

/** The same for changes: pausing and renaming send nothing. */
export const unpaidChange = async (
  caller: CallCredential,
  campaign: StoredCampaign,
  { name: _name, is_active: isActive, ...others }: CampaignChanges,
): Promise<Refused | undefined> => {
  const sendsMore = isActive === true || Object.values(others).some((value) => value !== undefined);
  const unpaid = sendsMore ? await unpaidProblem(caller, campaign) : undefined;
  if (unpaid || others.spend_limit !== null || !(await getTokenCeiling(caller))) return unpaid;
  return invalid('spend_limit', 'Required: the token of this call has a ceiling, and its campaigns keep theirs.');
};

/** Takes what a greater ceiling of a campaign has more. What a smaller one has less is not given back. */
export const takeRise = async (
  caller: CallCredential,
  { spendLimit: before }: StoredCampaign,
  after: StoredCampaign['spendLimit'],
): Promise<TokenSpend | undefined | Refused> => {
  const rise = (after?.micros ?? 0) - (before?.micros ?? 0);
  const ceiling = after && rise > 0 ? await getTokenCeiling(caller) : undefined;
  if (!ceiling || !after) return undefined;
  return unpayable(ceiling, after.currency) ?? takeMoney(ceiling, rise);
};

/** Why a campaign with a `spend_limit` in a currency is not paid from a ceiling. */
function unpayable(ceiling: StoredTokenCeiling, given: string | undefined): Refused | undefined {
  if (ceiling.messages !== undefined)
    return tokenCeilingProblem(ceiling, 'messages', {
      message:
        'The token of this call has a ceiling of messages, and makes no campaigns: how many messages one has is known when it is sent.',
      remedy: 'Send messages one by one, or let an admin limit the token by money alone (PUT /spend/ceilings/tokens/{id}).',
    });
  const { currency } = ceiling;
  if (given === currency) return undefined;
  return invalid('spend_limit', `Required in ${currency}: the token of this call has a ceiling, from which it is taken.`);
}
