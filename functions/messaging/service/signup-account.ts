import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { SetupReply } from '../domain/number-setup.ts';
import { registerPhone } from '../gateway/number-setup.ts';
import { type AccountNumber, getTokenOfCode, getSignupNumbers, getTokenGrant, type SignupAppAccess } from '../gateway/signup.ts';
import { answerOf, type NumberToolProblem, requireBusinessNumber } from './number-tools.ts';

export type { SignupAppAccess } from '../gateway/signup.ts';

/** Why the provider, or what it says of the account, ends a signup. */
export type SignupRefusal<R extends string> = { refused: R };

/** The access token for a code. The provider gives it once, so the caller claims the code before. */
export const exchangeSignupCode = async (
  app: SignupAppAccess,
  code: string,
): Promise<{ token: string } | SignupRefusal<'code_used' | 'code_expired' | 'code_refused'> | Problem<'temporarily_unavailable'>> => {
  const reply = await getTokenOfCode(app, code);
  if (reply.outcome === 'answered') return { token: reply.value };
  if (!isRefusal(reply)) return notNow();
  if (reply.code === 100 && reply.subcode === usedCode) return { refused: 'code_used' };
  return { refused: reply.code === 100 && reply.subcode === expiredCode ? 'code_expired' : 'code_refused' };
};

/** What a browser says of the account and the number: a claim, which the token must prove. */
export interface ClaimedAccount {
  wabaId: string | undefined;
  phoneNumberId: string | undefined;
}

export interface SignupAccount {
  wabaId: string;
  phoneNumberId: string;
  /** As the provider shows it. */
  phone: string;
  /** Nothing can be sent before it is registered. */
  isRegistered: boolean;
}

/** The account and the number that a token was granted. */
export const readSignupAccount = async (
  app: SignupAppAccess,
  token: string,
  claimed: ClaimedAccount,
): Promise<
  SignupAccount | SignupRefusal<'foreign_account' | 'no_account' | 'no_number' | 'several_numbers'> | Problem<'temporarily_unavailable'>
> => {
  const grant = await getTokenGrant(app, token);
  if (grant.outcome !== 'answered') return isRefusal(grant) ? { refused: 'foreign_account' } : notNow();
  const { appId, isValid, accounts } = grant.value;
  if (!isValid || (appId !== undefined && appId !== app.id)) return { refused: 'foreign_account' };
  const wabaId = claimed.wabaId ?? (accounts?.length === 1 ? accounts[0] : undefined);
  if (wabaId === undefined) return { refused: 'no_account' };
  if (accounts && !accounts.includes(wabaId)) return { refused: 'foreign_account' };
  const numbers = await getSignupNumbers({ version: app.version, baseUrl: undefined, accessToken: () => Promise.resolve(token) }, wabaId);
  if (numbers.outcome !== 'answered') return isRefusal(numbers) ? { refused: 'foreign_account' } : notNow();
  const number = chosenNumber(numbers.value, claimed.phoneNumberId);
  return 'refused' in number
    ? number
    : { wabaId, phoneNumberId: number.id, phone: number.phone, isRegistered: number.isConnected || number.isOnPhone };
};

/** Registers the phone of a number, so that it can send. The PIN becomes its two-step verification, or is the one that it has. Repeatable. */
export const registerNumber = async (
  companyId: number,
  id: number,
  pin: string,
): Promise<undefined | NumberToolProblem | Problem<'validation_failed'>> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const reply = await registerPhone(number, number.phoneNumberId, pin);
  if (reply.outcome === 'refused' && reply.code === wrongPin)
    return invalid('pin', 'The number has a PIN of two-step verification already: send that one.');
  const registered = answerOf(reply);
  return isProblem(registered) ? registered : undefined;
};

/** https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow */
const usedCode = 36_009;
const expiredCode = 36_007;
const wrongPin = 133_005;

function chosenNumber(
  numbers: readonly AccountNumber[],
  claimed: string | undefined,
): AccountNumber | SignupRefusal<'foreign_account' | 'no_number' | 'several_numbers'> {
  if (claimed !== undefined) return numbers.find(({ id }) => id === claimed) ?? { refused: 'foreign_account' };
  const [only] = numbers;
  if (!only) return { refused: 'no_number' };
  return numbers.length === 1 ? only : { refused: 'several_numbers' };
}

/** The provider refuses the request itself, and will again. */
const isRefusal = (reply: SetupReply<unknown>): reply is Extract<SetupReply<unknown>, { outcome: 'refused' }> =>
  reply.outcome === 'refused' && reply.status < 500 && reply.status !== 429 && reply.code !== 2 && reply.code !== 4;

const notNow = (): Problem<'temporarily_unavailable'> => problem('temporarily_unavailable', { retryAfterSeconds: 5 });
