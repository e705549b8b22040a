import { inboundText, statusPost } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { onFetch } from '../support/fetch-hook.ts';
import { type Random, seeded } from '../support/random.ts';
import { replayHalfADayLater, injectFaults } from '../support/fault-injection.ts';
import { findUnsentMessages, findViolations } from './fault-oracle.ts';
import { ledgerOf, requestIn } from './fault-ledger.ts';
import { excuseMessage, type Recorder, startRecorder } from './fault-recorder.ts';
import { type Admin, adminOf, type Caller, field, type Fixture, wrongFor } from './fixture.ts';

/**
 * Runs made by a seed: codes are requested over WhatsApp, by mail and silently, guess rightly and wrongly, request again, open links, write
 * the one-click word, let it all expire; the company looks, unblocks and changes its profile. On the way processes die before or after any
 * call to the table, a queue, the provider, the mail service or the bus, deliveries come twice, late and shuffled, the table throttles and
 * loses answers, and provider and mail service refuse, fail or leave without an answer. Clients repeat what was not answered, and nothing else.
 */
export interface Emphasis {
  /** Of processes that die, 0 to 1. */
  crashes?: number;
  /** Of batches that are delivered twice. */
  duplicates?: number;
  /** Of acts that are guesses; the rest keeps its proportions. */
  attempts?: number;
  /** Of guesses that are right, once the code is there. */
  rightCodes?: number;
  /** Only until all messages have gone: enough for what shows before time is over. */
  brief?: boolean;
}
const usual: Required<Emphasis> = { crashes: 0.4, duplicates: 0.3, attempts: 0.3, rightCodes: 0.3, brief: false };

/** Small limits, so that every one of them is met. */
const settings: readonly Record<string, unknown>[] = [
  {},
  { captcha: { mode: 'after_x_attempts', after_attempts: 1, secret_key: 'not a secret' } },
  { magic_link: { confirm_page: true }, velocity: { max_identifiers: 2, window_seconds: 60, block_seconds: 60 } },
  { countries: { mode: 'allow', list: ['DE'], max_per_hour: 9 }, trust: { ttl_days: 1 } },
];
const limits = {
  otp: { expiry_seconds: 120, max_lifetime_seconds: 400, max_attempts: 3, resend_cooldown_seconds: 3, max_sends: 4 },
  guess_budget_per_day: 7,
  bombing: { max_requests: 5, window_seconds: 300, block_seconds: 120 },
};
export const newCallers = (fixture: Fixture): Promise<Caller[]> =>
  Promise.all(
    settings.map(async ({ captcha, ...each }) => {
      const caller = await fixture.newCaller({ ...limits, ...each });
      // its secret is sealed by the route
      if (captcha) await adminOf(fixture, caller)('PUT', `/profiles/${caller.profileId}`, { settings_json: { captcha } });
      return caller;
    }),
  );

/** A customer, and what they hold in their hands. */
interface Contact {
  identifier: string;
  ip: string;
  requests: { id: string; intent: string | undefined }[];
  trustKey: string | undefined;
}

interface Run {
  fixture: Fixture;
  caller: Caller;
  admin: Admin;
  people: Contact[];
  random: Random;
  seen: Recorder;
  shares: Required<Emphasis>;
  /** The same call until it is answered, by processes of which the first may die; or its client goes away, with no answer. */
  answered: (work: (headers: Record<string, string>) => Promise<Answer>) => Promise<Answer>;
}

const opsOfSeed = 14;

export const faultRuns = async (
  fixture: Fixture,
  callers: readonly Caller[],
  seeds: readonly number[],
  emphasis: Emphasis = {},
): Promise<string[]> => {
  const shares = { ...usual, ...emphasis };
  const { testApp } = fixture;
  const crashes = crashInjection();
  using seen = startRecorder(fixture);
  let random = seeded(0);
  using _network = network(fixture, crashes, () => random());
  {
    using _life = crashes.over(testApp);
    for (const seed of seeds) {
      random = seeded(seed);
      const pick = (most: number): number => Math.floor(random() * most);
      const crashStep = (most: number): number | undefined => (random() < shares.crashes ? 1 + pick(most) : undefined);
      const caller = callers[seed % callers.length];
      if (!caller) throw new Error('There is no company.');
      const run: Run = {
        fixture,
        caller,
        admin: adminOf(fixture, caller),
        people: peopleOf(fixture, seed),
        random,
        seen,
        shares,
        answered: async (work) => {
          // half of the clients send a key with what they may have to repeat
          const headers: Record<string, string> = random() < 0.5 ? { 'idempotency-key': crypto.randomUUID() } : {};
          for (const steps of [crashStep(16), crashStep(16), undefined]) {
            const answer = await crashes.runWithCrash(steps, () => work(headers));
            if (answer && answer.status < 500 && field(answer, 'code') !== 'idempotency_in_progress') return answer;
            if (random() < 0.2) return noAnswer;
            // until a key's first call is presumed stopped; else at once, or when what it began can no longer be on its way
            testApp.clock.advance('idempotency-key' in headers ? 36_000 : pick(2) * 3_100);
          }
          return work(headers);
        },
      };
      await using faults = await injectFaults(testApp, seed);
      let deadly = 0;
      for (let op = 0; op < opsOfSeed; op++) {
        await act(run);
        if (random() < 0.6) {
          // a message that crashes with all its processes goes to the dead letters, as it should: every third delivery lives
          const isDeadly = deadly++ % 3 !== 2;
          const disorder = { seed: seed * 100 + op, duplicate: shares.duplicates, crash: isDeadly ? 0.1 : 0, replay: 0.1, reorder: true };
          await crashes.runWithCrash(isDeadly ? crashStep(40) : undefined, () => testApp.drain({ disorder, retry: !isDeadly }));
        }
        testApp.clock.advance(random() < 0.1 ? 1_000 * pick(700) : pick(6_000));
        if (random() < 0.2) await crashes.runWithCrash(crashStep(12), () => testApp.tick());
        await crashes.runWithCrash(crashStep(12), () => faults.between());
      }

      await crashes.runWithCrash(undefined, () => testApp.drain({ disorder: { seed, duplicate: shares.duplicates, reorder: true } }));
      random = calm;
      // the change stream's own look at what was not handed on, and what a throttling provider wanted later
      await testApp.passTime(40);
      seen.violations.push(...(await findUnsentMessages(caller.company.id, seen.started, testApp.clock.now())));
    }
  }
  // the change stream's own look at what was not handed on, and what a throttling provider wanted later

  await testApp.passTime(60);
  const beforeTheEnd = await testApp.dump();
  if (!shares.brief) {
    // the last expiry, and the messages of those that wait for it
    await testApp.passTime(1_000);
    await replayHalfADayLater(testApp, seeds[0] ?? 0);
  }
  return [...seen.violations, ...(await findViolations(fixture, callers, seen, { beforeTheEnd, budget: limits.guess_budget_per_day }))];
};

const noAnswer: Answer = { status: 0, headers: {}, body: undefined, raw: '' };

/** What draws no fault. */
const calm: Random = () => 0.999;

function peopleOf(fixture: Fixture, seed: number): Contact[] {
  const identifiers = [fixture.newPhone(), fixture.newPhone(), `reader-${seed}-${fixture.newPhone().slice(1)}@example.org`];
  return identifiers.map((identifier) => ({ identifier, ip: `198.18.${seed % 250}.1`, requests: [], trustKey: undefined }));
}

/** Provider, CAPTCHA service and mail service, of which each refuses, fails or says nothing now and then. */
function network(fixture: Fixture, crashes: ReturnType<typeof crashInjection>, draw: Random): Disposable {
  const calls = onFetch(async (address, call, init) => {
    if (address.endsWith('/siteverify')) return crashes.fetching(address, async () => Response.json({ success: true }));
    if (!address.startsWith(fixture.provider.url)) return call();
    try {
      return await crashes.fetching(address, async () => {
        const drawn = draw();
        if (drawn < 0.04) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
        const answer = await call();
        if (drawn < 0.08) throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
        return answer;
      });
    } catch (error) {
      excuseMessage(requestIn(init?.body));
      throw error;
    }
  });
  fixture.provider.answering(({ body }) => {
    const drawn = draw();
    if (drawn < 0.06) return { status: 429, body: { error: { code: 130429, message: 'slow' } } };
    if (drawn >= 0.12) return undefined;
    excuseMessage(requestIn(body['biz_opaque_callback_data']));
    if (drawn < 0.09) return { status: 400, body: { error: { code: 131026, message: 'undeliverable' } } };
    return { status: 500, body: 'no word of it' };
  });
  fixture.testApp.mailing((mail) => {
    const drawn = draw();
    if (drawn >= 0.25) return 'taken';
    if (drawn >= 0.15) return 'lost';
    if (drawn >= 0.1) return 'throttled';
    excuseMessage(requestIn(JSON.stringify(mail)));
    return 'rejected';
  });
  return {
    [Symbol.dispose]: () => {
      calls[Symbol.dispose]();
      fixture.provider.answering(undefined);
      fixture.testApp.mailing(undefined);
    },
  };
}

async function act(run: Run): Promise<void> {
  const { random, people, shares } = run;
  const contact = people[Math.floor(random() * people.length)] as Contact;
  const request = contact.requests[Math.floor(random() * contact.requests.length)];
  if (request === undefined) return requestCode(run, contact);
  if (random() < shares.attempts) return tryCode(run, contact, request.id);
  const kind = random();
  if (kind < 0.3) return requestCode(run, contact);
  if (kind < 0.5) return void (await run.answered((headers) => post(run, contact, '/resend', { request_id: request.id }, headers)));
  if (kind < 0.6) return void (await run.answered(() => run.caller.get(`/status/${request.id}`, { ip: contact.ip })));
  if (kind < 0.75) return open(run, contact, request.id);
  if (kind < 0.85) return write(run, contact, request.intent);
  if (kind < 0.9) return undeliver(run, request.id);
  return administer(run, contact);
}

const post = ({ caller }: Run, { ip }: Contact, path: string, body: Record<string, unknown>, headers: Record<string, string>) =>
  caller.post(path, body, { ip, headers: { 'x-public-key': caller.publicKey, ...headers } });

async function requestCode(run: Run, contact: Contact): Promise<void> {
  const { random } = run;
  const isPhone = contact.identifier.startsWith('+');
  const body = {
    identifier: contact.identifier,
    purpose: random() < 0.7 ? 'login' : 'signup',
    captcha_token: 'a person',
    ...(isPhone && random() < 0.25 ? { silent: true } : {}),
    ...(contact.trustKey !== undefined && random() < 0.3 ? { trust_key: contact.trustKey } : {}),
  };
  const answer = await run.answered((headers) => post(run, contact, '/request', body, headers));
  const id = field(answer, 'request_id');
  if (answer.status !== 200 || typeof id !== 'string') return;
  contact.requests.push({ id, intent: /text=Verify%20([A-Z0-9]{10})/.exec(answer.raw)?.[1] });
}

async function tryCode(run: Run, contact: Contact, request_id: string): Promise<void> {
  const { random, fixture, seen, shares } = run;
  const code = ledgerOf(fixture, request_id).code;
  const isRight = code !== undefined && random() < shares.rightCodes;
  const given = isRight ? code : code === undefined ? 'WRONG1' : wrongFor(code);
  const many = random() < 0.3 ? 3 : 1;
  for (let nth = 0; nth < many; nth++) {
    const answer = await run.answered((headers) => post(run, contact, '/verify', { request_id, code: given }, headers));
    seen.recordAttempt(request_id, answer, isRight);
    const key = field(answer, 'trust_key');
    if (typeof key === 'string') contact.trustKey = key;
  }
}

async function open(run: Run, contact: Contact, requestId: string): Promise<void> {
  const path = ledgerOf(run.fixture, requestId).link;
  if (path === undefined) return;
  const method = run.random() < 0.5 ? 'GET' : 'POST';
  const agent = run.random() < 0.2 ? 'WhatsApp/2.23' : 'Mozilla/5.0';
  const headers = { 'user-agent': agent, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  await run.answered(() => run.fixture.testApp.call({ method, path, headers, sourceIp: contact.ip }));
}

async function write(run: Run, contact: Contact, intent: string | undefined): Promise<void> {
  if (intent === undefined) return;
  const inbound = inboundText(run.caller.company, { from: contact.identifier.slice(1), text: `Verify ${intent}` });
  await run.answered(() => run.fixture.testApp.call(inbound));
}

/** The provider reports that a code could not be delivered, of the last message or an earlier one. */
async function undeliver(run: Run, requestId: string): Promise<void> {
  const { references } = ledgerOf(run.fixture, requestId);
  const reference = references[Math.floor(run.random() * references.length)];
  if (reference === undefined) return;
  const status = { id: `wamid.${reference}`, status: 'failed', biz_opaque_callback_data: reference };
  const inbound = statusPost(run.caller.company, { ...status, errors: [{ code: 131026, title: 'Undeliverable' }] });
  await run.answered(() => run.fixture.testApp.call(inbound));
}

async function administer(run: Run, { identifier }: Contact): Promise<void> {
  const { admin, answered, random, caller, seen } = run;
  const profile = `/profiles/${caller.profileId}`;
  const base = { profile_id: caller.profileId };
  const removed = async (path: string, body: Record<string, unknown>): Promise<void> => {
    const made = await answered(() => admin('POST', path, body));
    const id = (field(made, 'data') as { id?: string } | undefined)?.id;
    if (id !== undefined) await answered(() => admin('DELETE', `${path}/${id}`));
  };
  const kind = random();
  if (kind < 0.45) {
    const [block] = (field(await answered(() => admin('GET', '/blocks')), 'data') ?? []) as { id: string }[];
    if (!block) return;
    const unblocked = await seen.recordUnblock(caller.company.id, block.id);
    await unblocked((await answered(() => admin('DELETE', `/blocks/${block.id}`))).status === 200);
  } else if (kind < 0.55) await answered(() => admin('PUT', profile, { name: `Sign-in ${Math.floor(random() * 9)}` }));
  else if (kind < 0.65) await answered(() => admin('POST', `${profile}/keys`, { name: 'another' }));
  else if (kind < 0.75) await answered(() => admin('POST', `${profile}/revoke-trust`, { identifier }));
  else if (kind < 0.85) await removed('/whitelists', { ...base, kind: 'country', value: 'FR' });
  else if (kind < 0.95)
    await removed('/templates', { ...base, channel: 'email', purpose: 'signup', body: '{{code}} is your word. {{link}}' });
  else await answered(() => admin('GET', '/profiles'));
}
