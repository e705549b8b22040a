import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { endSessionWith, type Session, type SessionInput, startSession } from '../../account/service/sessions.ts';
import type { SignInCall } from '../../verification/service/sign-in.ts';
import type { SessionRecord, StartedSessionRecord } from '../contract/session.ts';
import { deviceOf } from '../domain/session.ts';

/** Where a sign-in comes from. */
export interface Browser {
  call: SignInCall;
  /** The secret of the session that the browser has already. */
  former: string | undefined;
  /** An email address that a code proved, sealed, while the choice of a company is open. */
  choice: string | undefined;
  /** The sealed cookie by which the browser is known (known-browser.ts). */
  known: string | undefined;
}

export interface SignedIn {
  kind: 'session';
  /** The sealed cookie by which the browser is known from now on, of a sign-in by code. */
  known?: string | undefined;
  record: StartedSessionRecord;
  secret: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Starts a session with a new secret; the former session of the browser ends. */
export async function started(
  input: Omit<SessionInput, 'name'>,
  browser: Browser,
): Promise<SignedIn | Problem<'not_found' | 'validation_failed' | 'conflict'>> {
  const begun = await startSession({ ...input, name: deviceOf(browser.call.userAgent) });
  if (isProblem(begun)) return begun;
  if (browser.former !== undefined) await endSessionWith(browser.former);
  const { session, secret, company, user, scopes } = begun;
  return {
    kind: 'session',
    secret,
    expiresAt: session.pointer.expiresAt ?? 0,
    record: {
      ...toRecord(session, session.pointer.id),
      user: { id: user.id, name: user.name, email: user.email, role: user.role },
      company: { id: company.companyId, name: company.name },
      scopes,
    },
  };
}

/** The record of a session; `current`: the id of the one that calls. */
export const toRecord = ({ pointer, lastUsedAt }: Session, current: number | undefined): SessionRecord => ({
  id: pointer.id,
  device: pointer.name,
  signed_in_by: pointer.signedInBy ?? 'token',
  is_current: pointer.id === current,
  created_at: isoTime(pointer.createdAt),
  last_used_at: isoTime(lastUsedAt),
  expires_at: isoTime(pointer.expiresAt ?? 0),
});
