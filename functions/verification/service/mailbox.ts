import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { hourMs } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { retentionOf, unknownIdentifier, withSend } from '../domain/decision.ts';
import { type Identifier, mailboxOf } from '../domain/identifier.ts';
import { type BudgetState, secondsUntil } from '../domain/request-budget.ts';
import { nextSendTime, type SendPace, sendPace } from '../domain/send-pace.ts';
import { getRequestBudget, updateRequestBudget } from '../store/request-budget.ts';
import type { CompleteProfile } from './profile.ts';
import { hashIdentifier } from './secrets.ts';

/**
 * Counts a send to an alias (`name+tag@`, the dots of Gmail) in the budget of its mailbox too: aliases are identifiers of their own, but
 * what one mailbox receives by aliases has one limit. Codes to the address itself are counted apart, so that aliases of strangers keep no one
 * from them. 1 RRU and 1 WRU for an alias, else none.
 */
export const reserveMailboxSend = async (
  profile: CompleteProfile,
  identifier: Pick<Identifier, 'kind' | 'value'>,
  isTrusted: boolean,
  at: number,
): Promise<Problem<'otp_bombing'> | undefined> => {
  const mailbox = identifier.kind === 'email' ? mailboxOf(identifier.value) : identifier.value;
  if (mailbox === identifier.value) return undefined;
  const pace = (state: BudgetState): SendPace => sendPace(state, { isTrusted, isProven: false }, profile.settings, at);
  return reserveMail(profile, `aliases of ${mailbox}`, { pace, isTrusted }, at);
};

/** Mails an hour to one mailbox for browsers in which its user was never signed in: each has a request of its own, all share the mailbox. */
const mailsOfNewBrowsers = 5;

/** Counts a sign-in mail for such a browser. A browser that is known has its own pace. 1 RRU and 1 WRU. */
export const reserveMailOfNewBrowser = (
  profile: CompleteProfile,
  identifier: Pick<Identifier, 'value'>,
  at: number,
): Promise<Problem<'otp_bombing'> | undefined> => {
  const pace = ({ sends }: BudgetState): SendPace => ({
    sends: sends.filter((sent) => sent > at - hourMs),
    windowMs: hourMs,
    most: mailsOfNewBrowsers,
  });
  return reserveMail(profile, `new browsers of ${mailboxOf(identifier.value)}`, { pace, isTrusted: false }, at);
};

async function reserveMail(
  profile: CompleteProfile,
  counted: string,
  { pace: paceOf, isTrusted }: { pace: (state: BudgetState) => SendPace; isTrusted: boolean },
  at: number,
): Promise<Problem<'otp_bombing'> | undefined> {
  const { settings } = profile;
  const identifierHash = await hashIdentifier(profile.id, { kind: 'email', value: counted });
  const id = { companyId: profile.companyId, profileId: profile.id, identifierHash };
  return retryOnConflict(8, async () => {
    const budget = await getRequestBudget(id, { consistent: true });
    const pace = paceOf(budget ?? unknownIdentifier);
    const freeAt = nextSendTime(pace, at, false);
    if (freeAt > at) return problem('otp_bombing', { retryAfterSeconds: secondsUntil(freeAt, at) });
    const set = { ...withSend(pace, { isTrusted, isSent: true }, at), ...retentionOf(settings, at) };
    const written = await updateRequestBudget(id, budget, { set, add: {}, remove: [] }, at);
    return written.done ? undefined : conflict;
  });
}
