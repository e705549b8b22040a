import { isProblem } from '../../../shared/contract/problems.ts';
import { requestSignInCode } from '../../verification/service/sign-in.ts';
import { isKnownHere, openBrowser, sealBegun } from './known-browser.ts';
import type { Browser } from './start-session.ts';

/** Sends a code to an email address, if it is one of a user; the answer does not show which. The request belongs to the browser alone. */
export const createSignInCode = async (email: string, { call, known }: Browser) => {
  const address = email.toLowerCase();
  const browser = await openBrowser(known);
  const requested = await requestSignInCode(call, address, { key: browser.key, isKnown: isKnownHere(browser, address) });
  if (isProblem(requested)) return requested;
  const { requestId, expiresAt, codeLength, resendInSeconds } = requested;
  return {
    record: { request_id: requestId, expires_at: expiresAt, code_length: codeLength, resend_in_seconds: resendInSeconds },
    known: await sealBegun(browser),
  };
};
