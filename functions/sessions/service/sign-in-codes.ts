import { isProblem } from '../../../shared/contract/problems.ts';
import { requestSignInCode } from '../../verification/service/sign-in.ts';
import type { Browser } from './start-session.ts';

/** Sends a code to an email address, if it is one of a user; the answer does not show which. */
export const createSignInCode = async (email: string, { call }: Browser) => {
  const requested = await requestSignInCode(call, email.toLowerCase());
  if (isProblem(requested)) return requested;
  const { requestId, expiresAt, codeLength, resendInSeconds } = requested;
  return { request_id: requestId, expires_at: expiresAt, code_length: codeLength, resend_in_seconds: resendInSeconds };
};
