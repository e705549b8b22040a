import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { requirePointer } from '../../account/service/credentials.ts';
import { scopesWithoutCeiling, type TokenLimits } from '../../spend/contract/token-ceiling.ts';
import { microsOfText, moneyText } from '../../spend/service/money-text.ts';
import * as ceilings from '../../spend/service/token-ceilings.ts';
import type { TokenCeilingBody, TokenCeilingRecord } from '../contract/token-ceilings.ts';

/** The ceilings of a company's tokens, with what is left of them. 1 RRU for about 16. */
export const listTokenCeilings = async (companyId: number): Promise<TokenCeilingRecord[]> =>
  (await ceilings.readTokenCeilings(companyId)).map(toRecord);

/**
 * Sets the limits of a personal token of the company. A token that could get around its ceiling gets none: its scopes are named when it is made, and
 * never change. 1 RRU and 1 WRU, beside 0.5 RRU of the token.
 */
export const setTokenCeiling = async (
  companyId: number,
  tokenId: number,
  { messages, spend }: TokenCeilingBody,
): Promise<TokenCeilingRecord | Problem<'not_found' | 'validation_failed' | 'plan_limit_reached'>> => {
  const token = await requirePointer(companyId, 'token', tokenId);
  if (isProblem(token)) return token;
  if (token.status === 'revoked') return problem('not_found', { message: `Token ${tokenId} was revoked.` });
  const around = scopesWithoutCeiling.filter((scope) => token.requestedScopes?.includes(scope) ?? true);
  if (around.length > 0)
    return invalid(
      'id',
      `With ${around.join(', ')} the token would get around its ceiling: create one with named scopes that has none of these.`,
    );
  const written = await ceilings.putTokenCeiling(companyId, tokenId, (stored): TokenLimits | Problem<'validation_failed'> => {
    const limits = {
      messages: messages === undefined ? stored?.messages : (messages ?? undefined),
      ...(spend === undefined
        ? { micros: stored?.micros, currency: stored?.currency }
        : { micros: spend?.amount === undefined ? undefined : microsOfText(spend.amount), currency: spend?.currency }),
    };
    if (limits.messages !== undefined || limits.micros !== undefined) return limits;
    return invalid('messages', 'Give messages, spend or both; DELETE removes the ceiling.');
  });
  return isProblem(written) ? written : toRecord(written);
};

/** Removes the ceiling of a token, also of one that was revoked. 1 RRU and 2 WRU. */
export const deleteTokenCeiling = async (companyId: number, tokenId: number): Promise<{ id: number } | Problem<'not_found'>> =>
  (await ceilings.removeTokenCeiling(companyId, tokenId)) ? { id: tokenId } : problem('not_found');

function toRecord(ceiling: ceilings.StoredTokenCeiling): TokenCeilingRecord {
  const { id, messages, micros, currency, updatedAt } = ceiling;
  const left = ceilings.leftOfToken(ceiling, now());
  return {
    token_id: id,
    messages: messages === undefined ? null : { limit: messages, left: left.messages ?? 0 },
    spend:
      micros === undefined || currency === undefined ? null : { limit: moneyText(micros), left: moneyText(left.micros ?? 0), currency },
    resets_at: isoTime(ceilings.tokenResetsAtMs(ceiling)),
    updated_at: isoTime(updatedAt),
  };
}
