import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { OwnCalls } from '../../../shared/access/credential.ts';
import { limits } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { begunLifeMs, callsAfterBegun, knownBrowserLifeMs, maxKnownUsers } from '../domain/session.ts';

/**
 * A browser as its own cookie says, sealed: a random key to which its requests for codes belong, and which users were signed in here. It
 * proves nothing of a user: strangers cannot use up what a user's own browser needs to sign in.
 */
export interface KnownBrowser {
  key: string;
  /** Hashes of email addresses that signed in here, newest first, with the time. */
  users: { email: string; at: number }[];
  /** When it last began a sign-in. */
  begunAt?: number | undefined;
}

const schema = z.object({
  key: z.string().length(43),
  users: z.array(z.object({ email: z.string(), at: z.int() })),
  begunAt: z.int().optional(),
});
const about = 'browser';

/** A browser without the cookie, or with one that is not ours, is a new one. */
export const openBrowser = async (cookie: string | undefined): Promise<KnownBrowser> => {
  try {
    if (cookie !== undefined) return schema.parse(JSON.parse(await unseal(Buffer.from(cookie, 'base64url').toString(), about)));
  } catch {
    // of another deployment, or made up
  }
  return { key: randomBytes(32).toString('base64url'), users: [] };
};

export const isKnownHere = ({ users }: KnownBrowser, email: string): boolean =>
  users.some((each) => each.email === sha256(email.toLowerCase()) && each.at > now() - knownBrowserLifeMs);

export const withUser = (browser: KnownBrowser, email: string): KnownBrowser => {
  const hash = sha256(email.toLowerCase());
  const others = browser.users.filter((each) => each.email !== hash);
  return { ...browser, users: [{ email: hash, at: now() }, ...others].slice(0, maxKnownUsers) };
};

/** The cookie of a browser that begins a sign-in now. */
export const sealBegun = (browser: KnownBrowser): Promise<string> => sealBrowser({ ...browser, begunAt: now() });

/**
 * The calls to sign in that a browser has of its own, beside those of its address: one in which a user was signed in has as many as an address,
 * and one that began a sign-in, which was counted, has those that finish it. So a stranger in the same office keeps it waiting once at most.
 */
export const ownCallsOf = async (cookie: string | undefined, isFinishing: boolean): Promise<OwnCalls | undefined> => {
  const { key, users, begunAt } = await openBrowser(cookie);
  const at = now();
  if (users.some((each) => each.at > at - knownBrowserLifeMs))
    return { id: sha256(`known ${key}`), mostPerMinute: limits.sign_in.perMinute, at };
  return isFinishing && begunAt !== undefined && begunAt > at - begunLifeMs
    ? { id: sha256(`began ${key}`), mostPerMinute: callsAfterBegun, at: begunAt }
    : undefined;
};

/** The value of its cookie. */
export const sealBrowser = async (browser: KnownBrowser): Promise<string> =>
  Buffer.from(await seal(JSON.stringify(browser), about)).toString('base64url');
