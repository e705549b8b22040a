import { resumeCompany, suspendCompany } from '../../functions/administration/service/suspension.ts';
import { issueErpToken, revokeMachineCredential, rotateMachineCredential } from '../../functions/account/service/machine-tokens.ts';
import { issueToken, revokeCompanyToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { createUser, deactivateUser, setRole } from '../../functions/account/service/users.ts';
import {
  createProfile,
  deactivateKey,
  issueKey,
  rotateKey,
  setProfileStatus,
} from '../../functions/account/service/verification-profiles.ts';
import { authenticate } from '../../shared/access/credential.ts';
import { newToken, type TokenKind } from '../../shared/access/token.ts';
import { roles } from '../../shared/contract/route.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { type Random, seeded } from '../support/random.ts';
import { replayHalfADayLater, injectFaults } from '../support/fault-injection.ts';
import type { TestApp } from '../support/test-app.ts';
import { misfits } from './fault-oracle.ts';
import { company, given } from './setup.ts';

/**
 * Runs made by a seed: an operator makes people, tokens, machine tokens and keys, rotates and revokes them, changes roles, suspends and
 * resumes the company and switches its profile off and on, two of these at once now and then. On the way processes die before or after any
 * call to the table, which throttles and loses answers. An operator who was not answered does it again. When all is quiet, what was
 * acknowledged holds, what was revoked is refused, and nothing is half made.
 */
export interface Secret {
  kind: TokenKind;
  /** Of the credential, or of the pair of keys. */
  of: string;
  secret: string;
  /** Of a token. */
  userId?: number;
  /** Epoch milliseconds; it must work until then, and never after. */
  until: number;
}

export interface Books {
  companyId: number;
  profileId: string;
  users: Set<number>;
  /** Whose secret an acknowledged call gave. */
  secrets: Secret[];
  /** Rotations that were not acknowledged: no one knows which secret is the one of now. */
  unsure: Set<string>;
  /** Rotated twice at once: no one knows which was the first. */
  contested: Set<string>;
  revoked: Set<string>;
  suspended: boolean;
  off: boolean;
  roles: Map<number, string>;
}

const opsOfSeed = 14;
/** Of the clock that gave a secret its end. */
const skewMs = 2_000;
const never = Number.POSITIVE_INFINITY;

/** `pairs`: the share of acts that are two at once. */
export const accountFaults = async (testApp: TestApp, seeds: readonly number[], pairs = 0.3): Promise<string[]> => {
  const crashes = crashInjection();
  const all: Books[] = [];
  for (const seed of seeds) {
    const books = await open();
    all.push(books);
    await run(testApp, crashes, books, seed, pairs);
  }
  await replayHalfADayLater(testApp, seeds[0] ?? 0);
  const items = await testApp.dump();
  const wrong: string[] = [];
  for (const books of all) wrong.push(...misfits(items, books), ...(await verdictOf(testApp, books)));
  return wrong;
};

async function open(): Promise<Books> {
  const { id: companyId } = await company();
  const { id: profileId } = given(await createProfile(companyId, { name: 'Sign-in' }));
  const none = {
    users: new Set<number>(),
    secrets: [],
    unsure: new Set<string>(),
    contested: new Set<string>(),
    revoked: new Set<string>(),
    roles: new Map(),
  };
  return { companyId, profileId, ...none, suspended: false, off: false };
}

async function run(testApp: TestApp, crashes: ReturnType<typeof crashInjection>, books: Books, seed: number, pairs: number): Promise<void> {
  const random = seeded(seed);
  await using faults = await injectFaults(testApp, seed);
  using _life = crashes.over(testApp);
  const crashStep = (): number | undefined => (random() < 0.4 ? 1 + Math.floor(random() * 10) : undefined);
  for (let op = 0; op < opsOfSeed; op++) {
    const about = { userId: pickOf([...books.users], random), owned: pickOf(books.secrets, random) };
    const acts = Array.from({ length: random() < pairs ? 2 : 1 }, () => actOf(books, random, about));
    // until it is answered: a visit to a point that was never struck crashes a repetition too
    for (let steps = crashStep(), tries = 0; tries < 10; steps = undefined, tries++) {
      const done = await crashes.runWithCrash(steps, () => together(testApp, acts, Math.floor(random() * 6)));
      if (done) break;
    }
    // a call of a user's, as it comes
    const secret = books.secrets[Math.floor(random() * books.secrets.length)];
    if (secret?.kind === 'token')
      await crashes.runWithCrash(crashStep(), () => testApp.call({ method: 'GET', path: '/api/v1/me', token: secret.secret }));
    testApp.clock.advance(Math.floor(random() * 60_000));
    await faults.between();
  }
}

type Act = () => Promise<unknown>;

/** One act, and another that begins when so many calls of the first came back. */
async function together(testApp: TestApp, [first, second]: readonly Act[], calls: number): Promise<unknown> {
  if (!first || !second) return [await first?.()];
  const begin = Promise.withResolvers<void>();
  let left = calls;
  using _watch = testApp.onTable(({ when }) => {
    if (when === 'after' && --left === 0) begin.resolve();
  });
  if (left === 0) begin.resolve();
  // one process: when it crashes, it crashes with both
  const ends = await Promise.allSettled([first().then(() => begin.resolve(), begin.reject), begin.promise.then(second)]);
  const death = ends.find((each) => each.status === 'rejected');
  if (death) throw death.reason;
  return ends;
}
const isDone = (answer: object): boolean => !('problem' in answer);

/** Two acts at once are about the same user and credential. */
interface About {
  userId: number | undefined;
  owned: Secret | undefined;
}

const pickOf = <T>(of: readonly T[], random: Random): T | undefined => of[Math.floor(random() * of.length)];

/** An act that keeps the books when it is answered, and says what no one knows until then. */
function actOf(books: Books, random: Random, { userId, owned }: About): Act {
  const { companyId } = books;
  const drawn = random();
  const overlapHours = random() < 0.5 ? 0 : 24;
  const role = pickOf(roles, random) ?? 'viewer';
  if (random() < 0.08)
    return async () => {
      const turn = !books.suspended;
      await (turn ? suspendCompany(companyId) : resumeCompany(companyId));
      books.suspended = turn;
    };
  if (userId === undefined || drawn < 0.1) return contactMade(books, role, `p${Math.floor(random() * 1e9)}@cedar.example`);
  if (owned === undefined || drawn < 0.25) return () => tokenMade(books, userId);
  if (drawn < 0.32) return () => machineTokenMade(books);
  if (drawn < 0.39) return () => pairMade(books);
  if (drawn < 0.55) return () => rotated(books, owned, overlapHours);
  if (drawn < 0.67) return () => ended(books, owned);
  if (drawn < 0.79)
    return async () => {
      books.roles.delete(userId);
      if (isDone(await setRole(companyId, userId, role))) books.roles.set(userId, role);
    };
  if (drawn < 0.88)
    return async () => {
      books.users.delete(userId);
      await deactivateUser(companyId, userId);
    };
  return async () => {
    const turn = !books.off;
    await setProfileStatus(companyId, books.profileId, turn ? 'inactive' : 'active');
    books.off = turn;
  };
}

const contactMade =
  ({ companyId, users, roles: known }: Books, role: (typeof roles)[number], email: string): Act =>
  async () => {
    const made = await createUser(companyId, { name: 'Kim', email, role });
    if ('problem' in made) return;
    users.add(made.id);
    known.set(made.id, role);
  };

async function tokenMade({ companyId, secrets }: Books, userId: number): Promise<void> {
  const made = await issueToken(companyId, { user_id: userId }, newToken('token'));
  if (!('problem' in made)) secrets.push({ kind: 'token', of: `token ${made.token.id}`, secret: made.secret, userId, until: never });
}

async function machineTokenMade({ companyId, secrets }: Books): Promise<void> {
  const made = await issueErpToken(companyId, { shared_secret: 'a secret of both sides' });
  if (!('problem' in made)) secrets.push({ kind: 'erp_token', of: `erp_token ${made.token.id}`, secret: made.secret, until: never });
}

async function pairMade({ companyId, profileId, secrets }: Books): Promise<void> {
  const made = await issueKey(companyId, profileId, {});
  if ('problem' in made) return;
  const of = `key ${made.key.id}`;
  secrets.push({ kind: 'public_key', of, secret: made.public_key, until: never });
  secrets.push({ kind: 'secret_key', of, secret: made.secret_key, until: never });
}

/** The secrets of now get an end; the new ones are in the books when they are answered. */
async function rotated(books: Books, { of, kind, userId }: Secret, hours: number): Promise<void> {
  const { companyId, secrets, unsure } = books;
  const [what = '', id = ''] = of.split(' ');
  const wasUnsure = unsure.has(of);
  unsure.add(of);
  const until = Date.now() + hours * 3_600_000;
  const before = secrets.filter((each) => each.of === of);
  const made: Secret[] = [];
  if (what === 'key') {
    const pair = await rotateKey(companyId, id, hours);
    if (!('problem' in pair))
      made.push(
        { kind: 'public_key', of, secret: pair.public_key, until: never },
        { kind: 'secret_key', of, secret: pair.secret_key, until: never },
      );
  } else {
    const issued = await (kind === 'token'
      ? rotateCompanyToken(companyId, Number(id), hours)
      : rotateMachineCredential(companyId, 'erp_token', Number(id), hours));
    if (!('problem' in issued)) made.push({ kind, of, secret: issued.secret, until: never, ...(userId === undefined ? {} : { userId }) });
  }
  // a refusal changes nothing
  if (wasUnsure) books.contested.add(of);
  else unsure.delete(of);
  if (made.length === 0) return;
  // one that was replaced before keeps the end that it was given then
  for (const old of before) if (old.until === never) old.until = until;
  secrets.push(...made);
}

async function ended({ companyId, revoked }: Books, { of, kind }: Secret): Promise<void> {
  const [what = '', id = ''] = of.split(' ');
  const answer = await (what === 'key'
    ? deactivateKey(companyId, id)
    : kind === 'token'
      ? revokeCompanyToken(companyId, Number(id))
      : revokeMachineCredential(companyId, 'erp_token', Number(id)));
  if (isDone(answer)) revoked.add(of);
}

/** Every secret that a user holds, tried. */
async function verdictOf(testApp: TestApp, books: Books): Promise<string[]> {
  const wrong: string[] = [];
  testApp.clock.advance(60_000);
  for (const { kind, secret, of, until } of books.secrets) {
    const works = (await authenticate([kind], secret, 'read')).ok;
    if (!works) continue;
    if (books.revoked.has(of)) wrong.push(`${of} was revoked and works`);
    if (books.suspended) wrong.push(`${of} works in a suspended company`);
    if (until < Date.now() - skewMs && !books.contested.has(of)) wrong.push(`${of} works beyond its overlap`);
  }
  // what the suspension of the company holds back comes alive again, and only that
  await resumeCompany(books.companyId);
  for (const { kind, secret, of, until, userId } of books.secrets) {
    const works = (await authenticate([kind], secret, 'read')).ok;
    if (works && books.revoked.has(of)) wrong.push(`${of} was revoked and works again`);
    const isCertain =
      !books.revoked.has(of) && !books.unsure.has(of) && !books.contested.has(of) && (userId === undefined || books.users.has(userId));
    if (!works && isCertain && until === never) wrong.push(`${of} was made and does not work`);
  }
  return wrong;
}
