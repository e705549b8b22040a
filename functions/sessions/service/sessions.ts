import * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { adderOf, listActiveLogins, type Login, recordSignIn } from '../../account/service/logins.ts';
import { emailOfSession, endSessionOf, listSessionsOf, sessionInputOf } from '../../account/service/sessions.ts';
import { verifySignInCode } from '../../verification/service/sign-in.ts';
import type { CompanyChoice, CreateSessionInput, SessionRecord } from '../contract/session.ts';
import { choiceLifeMs } from '../domain/session.ts';
import { openBrowser, sealBrowser, withUser } from './known-browser.ts';
import { type Browser, type SignedIn, started, toRecord } from './start-session.ts';

/** `proof`: the proven email address, sealed. */
export type SessionOutcome = SignedIn | { kind: 'choice'; choice: CompanyChoice; proof: string };

type Refused = Problem<
  | 'token_invalid'
  | 'token_expired'
  | 'token_revoked'
  | 'company_suspended'
  | 'ip_not_allowed'
  | 'not_found'
  | 'validation_failed'
  | 'conflict'
  | 'code_invalid'
  | 'expired'
  | 'too_many_attempts'
  | 'blocked'
  | 'rate_limited'
>;

/** Starts a session for a token, a code or a choice. Always with a new secret; the former session of the browser ends. */
export const createSession = async (input: CreateSessionInput, browser: Browser): Promise<SessionOutcome | Refused> => {
  if (input.token !== undefined) return signInByToken(input.token, input.company_id, browser);
  const proven = await provenEmail(input, browser);
  if (isProblem(proven)) return proven;
  const logins = await listActiveLogins(proven.email);
  const chosen =
    input.company_id === undefined && logins.length === 1
      ? logins[0]
      : logins.find(({ company }) => company.companyId === input.company_id);
  // an address is added to a company by anyone: where the user has others, it counts once the user has accepted it
  const isAccepted = logins.length === 1 || chosen?.signedInAt !== undefined || input.accept === true;
  if (chosen && isAccepted) {
    const { companyId, id: userId } = chosen.user;
    const { expiresAt, provenAt } = proven;
    const session = await started({ companyId, userId, signedInBy: 'email_code', expiresAt, provenAt }, browser);
    if (isProblem(session)) return session;
    await recordSignIn(chosen);
    return { ...session, known: await sealBrowser(withUser(await openBrowser(browser.known), proven.email)) };
  }
  if ((input.company_id !== undefined && !chosen) || logins.length === 0) return problem('not_found');
  return { kind: 'choice', choice: { companies: await Promise.all(logins.map(toChoice)) }, proof: await sealChoice(proven) };
};

const toChoice = async (login: Login): Promise<CompanyChoice['companies'][number]> => ({
  id: login.company.companyId,
  name: login.company.name,
  added_by: (await adderOf(login)) ?? null,
  added_at: isoTime(login.user.createdAt),
  last_signed_in_at: login.signedInAt === undefined ? null : isoTime(login.signedInAt),
});

async function signInByToken(token: string, companyId: number | undefined, browser: Browser): Promise<SignedIn | Refused> {
  const given = await sessionInputOf(token, browser.call.sourceIp);
  if (isProblem(given)) return given;
  return companyId !== undefined && companyId !== given.companyId
    ? problem('not_found')
    : started({ ...given, signedInBy: 'token', provenAt: neverProven }, browser);
}

/** Who has a token need not be its user: it is in scripts and settings, and may have leaked. */
const neverProven = 0;

interface ProvenEmail {
  email: string;
  /** When the session that proves it ends. */
  expiresAt?: number | undefined;
  /** When it was proven, where that was before this call. */
  provenAt?: number | undefined;
}

/** By a code; or before: by one whose choice is open, or with which the browser's session began. */
async function provenEmail(input: CreateSessionInput, { call, choice, former, known }: Browser): Promise<ProvenEmail | Refused> {
  if (input.request_id !== undefined && input.code !== undefined) {
    const email = await verifySignInCode(call, input.request_id, { code: input.code, browserKey: (await openBrowser(known)).key });
    return isProblem(email) ? email : { email };
  }
  const chosen = choice === undefined ? undefined : await unsealChoice(choice);
  if (chosen !== undefined) return chosen;
  return (
    (former === undefined ? undefined : await emailOfSession(former)) ?? problem('code_invalid', { message: 'Sign in with a code first.' })
  );
}

const choiceSchema = z.object({ email: z.string(), at: z.int() });
const aboutChoice = 'sign-in choice';

/** A choice that is given again is as old as the proof. */
const sealChoice = async ({ email, provenAt = now() }: ProvenEmail): Promise<string> =>
  Buffer.from(await seal(JSON.stringify({ email, at: provenAt }), aboutChoice)).toString('base64url');

/** Undefined: it is too old, or not ours. */
async function unsealChoice(sealed: string): Promise<{ email: string; provenAt: number } | undefined> {
  try {
    const { email, at } = choiceSchema.parse(JSON.parse(await unseal(Buffer.from(sealed, 'base64url').toString(), aboutChoice)));
    return at > now() - choiceLifeMs ? { email, provenAt: at } : undefined;
  } catch {
    return undefined;
  }
}

/** The caller's own sessions. */
export const listSessions = async (caller: Principal): Promise<SessionRecord[]> =>
  (await listSessionsOf(caller.companyId, caller.userId)).map((session) => toRecord(session, currentId(caller)));

/** Ends a session of the caller; whether it was the one that calls. */
export const deleteSession = async (caller: Principal, id: number): Promise<{ isCurrent: boolean } | Problem<'not_found'>> =>
  (await endSessionOf(caller.companyId, caller.userId, id)) ? { isCurrent: id === currentId(caller) } : problem('not_found');

const currentId = ({ credentialKind, credentialId }: Principal): number | undefined =>
  credentialKind === 'session' ? credentialId : undefined;
