import { isProblem, problem, type Problem, type ProblemCode } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { type CallCredential, getTokenOfCall } from '../../account/service/session-token.ts';
import type { Tariff } from '../contract/price-cap.ts';
import { maxTokenCeilings, type StoredTokenCeiling, type TokenAmount, type TokenLimits } from '../contract/token-ceiling.ts';
import { periodsAt, resetsAtMs } from '../domain/spend-account.ts';
import { changeOfLimits, ceilingDay, hasLimit, isSameTime, leftAt, shortLimit } from '../domain/token-ceiling.ts';
import {
  changeTokenCeiling,
  createTokenCeiling,
  deleteEmptyCeiling,
  getStoredTokenCeiling,
  listStoredTokenCeilings,
  returnToTokenCeiling,
  takeFromTokenCeiling,
  takingFromTokenCeiling,
} from '../store/token-ceiling.ts';
import { type ChargedRecipient, pricedCountryOf, upperPrice } from './ceiling-charges.ts';
import { moneyText } from './money-text.ts';
import { getRecentSources } from './recent-sources.ts';
import { getTokenCeilings, rememberTokenCeiling } from './spend-accounts.ts';

export { leftAt as leftOfToken };
export type { CallCredential, StoredTokenCeiling };

/**
 * What is sent with a personal token is taken from its ceiling where the call is accepted, before anything is written: all of it or nothing, in one
 * conditional write. See docs/decisions/spend-ceilings.md.
 */

/** What was taken, and from what: it is given back to the same day and limits. */
export interface TokenSpend {
  ceiling: StoredTokenCeiling;
  amount: TokenAmount;
}

export type TokenProblem = Problem<'spend_limit_reached' | 'price_unknown'>;

/** The ceiling that a call is under, at most ten seconds old; undefined: there is none. No request more where the company has none. */
export const getTokenCeiling = async (caller: CallCredential): Promise<StoredTokenCeiling | undefined> => {
  const ceilings = await getTokenCeilings(caller.companyId);
  if (ceilings.size === 0) return undefined;
  const id = await getTokenOfCall(caller);
  return id === undefined ? undefined : ceilings.get(id);
};

/** Takes one message at its max price, else its list price, from the ceiling of the call's token; undefined: it is under none. 1 WRU. */
export const takeMessage = async (
  caller: CallCredential,
  message: { tariff: Tariff; recipient: ChargedRecipient },
): Promise<TokenSpend | undefined | TokenProblem> => {
  const ceiling = await getTokenCeiling(caller);
  return ceiling && take(ceiling, (current) => priceIn(current, message));
};

/** Takes money alone, for what is sent later. */
export const takeMoney = (ceiling: StoredTokenCeiling, micros: number): Promise<TokenSpend | undefined | Problem<'spend_limit_reached'>> =>
  take<never>(ceiling, ({ micros: limit }) => Promise.resolve({ amount: limit === undefined ? {} : { micros } }));

/** Gives back what was proven not to be sent. Of another day, or under other limits, it stays spent: that is the safe side. 2 WRU. */
export const returnToToken = ({ ceiling, amount }: TokenSpend): Promise<void> => returnToTokenCeiling(ceiling, amount);

/** The part of a transaction that takes money with what it is taken for. */
export const takingMoney = (ceiling: StoredTokenCeiling, micros: number): TransactionPart<StoredTokenCeiling> =>
  takingFromTokenCeiling(ceiling, { micros }, ceilingDay(ceiling, now()));

/** After such a part was refused: why; or the ceiling as it is now, for another try, undefined where it is gone. */
export const afterRefusal = (
  tried: StoredTokenCeiling,
  current: StoredTokenCeiling | undefined,
  amount: TokenAmount,
): StoredTokenCeiling | undefined | Problem<'spend_limit_reached'> => {
  rememberTokenCeiling(tried.companyId, tried.id, current);
  const isShort = current !== undefined && isSameTime(tried, current) && shortLimit(current, amount, now());
  return isShort ? tokenCeilingProblem(current, isShort) : current && (hasLimit(current) ? current : undefined);
};

/** The refusal of a call by the limit of its token. */
export const tokenCeilingProblem = (
  ceiling: StoredTokenCeiling,
  limit: 'messages' | 'micros' = ceiling.messages === undefined ? 'micros' : 'messages',
  words: { message?: string; remedy?: string } = {},
): Problem<'spend_limit_reached'> => {
  const [most = 0, left = 0] = [ceiling[limit], leftAt(ceiling, now())[limit]];
  const text = limit === 'micros' ? moneyText : String;
  return problem('spend_limit_reached', {
    remedy: `An admin can raise it (PUT /spend/ceilings/tokens/${ceiling.id}); or repeat the request later: the same Idempotency-Key sends then.`,
    ...words,
    details: {
      ceiling: 'token',
      limit: text(most),
      left: text(left),
      currency: limit === 'micros' ? (ceiling.currency ?? null) : null,
      resets_at: isoTime(tokenResetsAtMs(ceiling)),
    },
  });
};

/** When the ceiling of a token begins anew, epoch milliseconds. */
export const tokenResetsAtMs = (ceiling: StoredTokenCeiling): number => {
  const day = ceilingDay(ceiling, now());
  return resetsAtMs({ day, month: day.slice(0, 7) }, 'day');
};

async function take<Code extends ProblemCode>(
  ceiling: StoredTokenCeiling,
  amountIn: (current: StoredTokenCeiling) => Promise<{ amount: TokenAmount } | { refused: Problem<Code> }>,
): Promise<TokenSpend | undefined | Problem<Code | 'spend_limit_reached'>> {
  let seen: StoredTokenCeiling | undefined = ceiling;
  return retryOnConflict<TokenSpend | undefined | Problem<Code | 'spend_limit_reached'>>(maxConflicts, async () => {
    if (!seen) return undefined;
    const wanted = await amountIn(seen);
    if ('refused' in wanted) return wanted.refused;
    const { amount } = wanted;
    const written = await takeFromTokenCeiling(seen, amount, ceilingDay(seen, now()));
    if (written.done) {
      rememberTokenCeiling(seen.companyId, seen.id, written.item);
      return { ceiling: written.item, amount };
    }
    const next = afterRefusal(seen, written.current, amount);
    if (isProblem(next)) return next;
    seen = next;
    return conflict;
  });
}

/** What one message takes: of a limit of money its max price, else its list price of today. */
async function priceIn(
  { companyId, messages, micros, currency }: StoredTokenCeiling,
  { tariff, recipient }: { tariff: Tariff; recipient: ChargedRecipient },
): Promise<{ amount: TokenAmount } | { refused: Problem<'price_unknown'> }> {
  const counted = messages === undefined ? {} : { messages: 1 };
  if (micros === undefined || currency === undefined) return { amount: counted };
  const price = upperPrice(await getRecentSources(companyId, currency), currency, { country: pricedCountryOf(recipient), tariff });
  if (!('unknown' in price)) return { amount: { ...counted, micros: Number(price.micros) } };
  const refused = problem('price_unknown', {
    remedy: 'details.reason says why. Import a rate card that prices it, or let an admin limit the token by messages instead of money.',
    details: { reason: price.unknown },
  });
  return { refused };
}

/** The ceilings of a company's tokens as they are. 1 RRU for about 16. */
export const readTokenCeilings = async (companyId: number): Promise<StoredTokenCeiling[]> =>
  (await listStoredTokenCeilings(companyId)).filter(hasLimit);

/** Sets the limits of a token. `limitsOf`: by those that it has; a Problem changes nothing. 1 RRU and 1 WRU; the list for a first one. */
export const putTokenCeiling = (
  companyId: number,
  id: number,
  limitsOf: (stored: StoredTokenCeiling | undefined) => TokenLimits | Problem<'validation_failed'>,
): Promise<StoredTokenCeiling | Problem<'validation_failed' | 'plan_limit_reached'>> =>
  retryOnConflict<StoredTokenCeiling | Problem<'validation_failed' | 'plan_limit_reached'>>(maxConflicts, async () => {
    const stored = await getStoredTokenCeiling(companyId, id);
    const limits = limitsOf(stored && hasLimit(stored) ? stored : undefined);
    if (isProblem(limits)) return limits;
    const full = stored && hasLimit(stored) ? undefined : await fullProblem(companyId);
    if (full) return full;
    const written = await (stored
      ? changeTokenCeiling(stored, changeOfLimits(stored, limits, now()))
      : createTokenCeiling(newCeiling(companyId, id, limits)));
    if (!written.done) return conflict;
    rememberTokenCeiling(companyId, id, written.item);
    return written.item;
  });

/** Removes the ceiling of a token; whether there was one. Its limits go first, so that the audit log names who removed them. 1 RRU, 2 WRU. */
export const removeTokenCeiling = (companyId: number, id: number): Promise<boolean> =>
  retryOnConflict(maxConflicts, async () => {
    const stored = await getStoredTokenCeiling(companyId, id);
    if (!stored) return false;
    const emptied = await changeTokenCeiling(stored, changeOfLimits(stored, {}, now()));
    if (!emptied.done) return conflict;
    rememberTokenCeiling(companyId, id, undefined);
    await deleteEmptyCeiling(emptied.item);
    return hasLimit(stored);
  });

async function fullProblem(companyId: number): Promise<Problem<'plan_limit_reached'> | undefined> {
  const used = (await readTokenCeilings(companyId)).length;
  if (used < maxTokenCeilings) return undefined;
  return problem('plan_limit_reached', {
    message: `A company can have ceilings of ${maxTokenCeilings} tokens; remove one first, for example of a token that was revoked.`,
    details: { resource: 'token_ceilings', limit: maxTokenCeilings, used },
  });
}

const newCeiling = (companyId: number, id: number, { messages, micros, currency }: TokenLimits): StoredTokenCeiling => ({
  companyId,
  id,
  // not that of a former ceiling of the token: what was taken from that is not given back to this one
  rev: now(),
  day: periodsAt(now()).day,
  ...(messages === undefined ? {} : { messages, messagesLeft: messages }),
  ...(micros === undefined || currency === undefined ? {} : { micros, microsLeft: micros, currency }),
  updatedAt: now(),
});
