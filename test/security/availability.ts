import type { Asserted } from '../support/authenticator.ts';
import { type Authenticator, authenticator } from '../support/authenticator.ts';
import { createUser } from '../../functions/account/service/users.ts';
import { startSession } from '../../functions/account/service/sessions.ts';
import { newToken } from '../../shared/access/token.ts';
import { unwrap } from '../support/company.ts';
import { type Answer, ofOwnPage, withSession } from '../support/gateway-event.ts';
import { type Random, seeded } from '../support/random.ts';
import { type Caller, field, type Fixture } from '../verification/fixture.ts';

/** What strangers aim at: a phone, a mailbox, all numbers of a prefix, or everyone behind one address. */
export const targets = ['phone', 'mailbox', 'prefix', 'office'] as const;
export type Target = (typeof targets)[number];

export interface Siege {
  target: Target;
  /** Of the strangers. */
  addresses: number;
  /** At least until everyone has come in once. */
  hours: number;
  /** How often visitors come in, and strangers begin anew. Between, all that strangers call is refused by what they used up before. */
  roundMinutes: number;
  seed: number;
}

/** How visitors of one kind got in, over the whole time. */
export interface Entries {
  tries: number;
  in: number;
  /** Calls beyond those of an undisturbed day, and seconds of waiting for them, of the unluckiest. */
  steps: number;
  seconds: number;
  /** The codes of the answers that made them wait. */
  why: string[];
}
export interface Figures {
  entries: Readonly<Record<string, Entries>>;
  strangerCalls: number;
  /** To the phone or mailbox that is aimed at, within any hour. */
  toOneRecipient: number;
  /** That the company paid for, within any hour and in all. */
  inAnHour: number;
  inAll: number;
}

export const ceilings = { per_hour: 200, per_day: 2_000 };
const minuteMs = 60_000;
/** A stranger stops at the first refusal: what comes after it changes nothing. */
const maxCalls = 25;
/** How long a visitor looks for a code in a mailbox, and tries at all. */
const [readingMs, patienceSeconds] = [15_000, 900];

interface Visitor {
  kind: string;
  enter: (pace: Patience) => Promise<boolean>;
}
interface Patience {
  steps: number;
  seconds: number;
  why: Set<string>;
}
const unhurried = (): Patience => ({ steps: 0, seconds: 0, why: new Set() });

export const simulate = async (fixture: Fixture, { target, addresses, hours, roundMinutes, seed }: Siege): Promise<Figures> => {
  const random = seeded(seed);
  const { testApp, provider } = fixture;
  const { clock } = testApp;
  clock.freeze();
  // nothing of what was counted before counts any more
  clock.advance(25 * 60 * minuteMs);
  const caller = await fixture.newCaller({ ceilings });
  const town = `+4917${String(Math.floor(random() * 1e5)).padStart(5, '0')}`;
  const numberOf = (nth: number): string => `${town}${String(nth).padStart(4, '0')}`;
  const victim = { phone: numberOf(1), email: `aimed.at.${seed}.${target}.${addresses}@example.com` };
  const office = `203.0.113.${1 + Math.floor(random() * 200)}`;
  const placeOf = (nth: number): string => (target === 'office' && nth === 0 ? office : `198.18.${nth >> 8}.${nth & 255}`);
  const homeOf = (nth: number): string => (target === 'office' ? office : `198.19.7.${nth}`);
  const messages = new Timeline(() => provider.requests.length);
  const toVictim = new Timeline(
    () =>
      provider.requests.filter(({ body }) => body['to'] === victim.phone).length +
      testApp.emails.map((each) => JSON.stringify(each)).filter((each) => each.includes(victim.email) && each.includes('verification code'))
        .length,
  );
  const observe = async (): Promise<void> => {
    await testApp.drain();
    for (const timeline of [messages, toVictim]) timeline.observe(clock.now());
  };
  let strangerCalls = 0;
  const call = async (made: Promise<Answer>): Promise<Answer> => {
    strangerCalls++;
    return made;
  };
  const strangers = strangersOf(fixture, { target, caller, victim, numberOf, random, isShort: hours === 0 });
  /** Everything that one of them still may, until a refusal. */
  const exhaust = async (nth: number): Promise<void> => {
    for (const kind of strangers) for (let calls = 0; calls < maxCalls; calls++) if ((await call(kind(placeOf(nth)))).status === 429) break;
    // what is counted from the change stream is at most two seconds late
    await testApp.drain();
  };
  /** Who shares the address of the office uses up each new minute, and has made some calls in it before a visitor who waited for it. */
  const neighbour = async (most = Infinity): Promise<void> => {
    if (target !== 'office') return;
    for (const kind of strangers)
      for (let calls = 0; calls < Math.min(most, 70); calls++) if ((await call(kind(office))).status === 429) break;
    if (most === Infinity) await refuseAll();
  };
  /** Sixty-one tokens that are none. */
  const refuseAll = async (): Promise<void> => {
    const token = (): Promise<Answer> => testApp.call({ method: 'GET', path: '/api/v1/me', token: newToken('token'), sourceIp: office });
    await Promise.all(Array.from({ length: 61 }, () => call(token())));
  };
  const world: World = {
    fixture,
    caller,
    victim,
    random,
    homeOf,
    numberOf,
    /** Time that passes for a visitor: strangers are quicker in what is new of it. */
    pass: async (ms, isWaited) => {
      await observe();
      clock.advance(ms);
      await neighbour(isWaited ? Math.floor(random() * 10) : 70);
    },
  };
  const visitors = await visitorsOf(target, world);
  const entries: Record<string, Entries> = {};
  for (let round = 0; round < Math.max(visitors.length, (hours * 60) / roundMinutes); round++) {
    const began = clock.now();
    for (let nth = 0; nth < addresses; nth++) await exhaust(nth);
    await observe();
    const visitor = visitors[round % visitors.length];
    if (visitor) {
      clock.advance(Math.floor(random() * minuteMs));
      await neighbour();
      const pace = unhurried();
      const isIn = await visitor.enter(pace);
      const of = (entries[visitor.kind] ??= { tries: 0, in: 0, steps: 0, seconds: 0, why: [] });
      of.tries++;
      if (isIn) of.in++;
      of.steps = Math.max(of.steps, pace.steps);
      of.seconds = Math.max(of.seconds, pace.seconds);
      of.why = [...new Set([...of.why, ...pace.why])];
    }
    await observe();
    clock.moveTo(Math.max(clock.now(), began + roundMinutes * minuteMs));
  }
  return { entries, strangerCalls, toOneRecipient: toVictim.mostInAnHour(), inAnHour: messages.mostInAnHour(), inAll: messages.total() };
};

/** When something happened that is only counted. */
class Timeline {
  readonly #count: () => number;
  readonly #before: number;
  readonly #times: number[] = [];
  constructor(count: () => number) {
    this.#count = count;
    this.#before = count();
  }
  observe(at: number): void {
    while (this.#times.length < this.total()) this.#times.push(at);
  }
  total(): number {
    return this.#count() - this.#before;
  }
  mostInAnHour(): number {
    return Math.max(0, ...this.#times.map((from) => this.#times.filter((at) => at >= from && at < from + 60 * minuteMs).length));
  }
}

interface Aim {
  target: Target;
  caller: Caller;
  victim: { phone: string; email: string };
  numberOf: (nth: number) => string;
  random: Random;
  /** Sign-in is begun in the cheapest way, which counts as any other. */
  isShort: boolean;
}

/** The calls of a stranger, by what they use up. */
function strangersOf({ testApp }: Fixture, { target, caller, victim, numberOf, random, isShort }: Aim) {
  const post = (path: string, body: object, sourceIp: string): Promise<Answer> =>
    testApp.call({ method: 'POST', path: `/api/v1${path}`, headers: ofOwnPage, body, sourceIp });
  const request = (identifier: string, ip: string): Promise<Answer> => caller.post('/request', { identifier }, { ip });
  /** A request, and wrong codes for it. */
  const requestAndTry = async (ip: string): Promise<Answer> => {
    const answer = await request(victim.phone, ip);
    if (answer.status !== 200) return answer;
    return caller.post('/verify', { request_id: field(answer, 'request_id'), code: '000000' }, { ip });
  };
  const mailAndTry = async (ip: string): Promise<Answer> => {
    const answer = await post('/sessions/codes', { email: victim.email }, ip);
    if (answer.status !== 200) return answer;
    const { request_id } = (answer.body as { data: { request_id: string } }).data;
    return post('/sessions', { request_id, code: '000000' }, ip);
  };
  const madeUp = (): string => Math.floor(random() * 1e9).toString(36);
  const kinds: Readonly<Record<Target, readonly ((ip: string) => Promise<Answer>)[]>> = {
    phone: [requestAndTry],
    mailbox: [mailAndTry],
    prefix: [(ip) => request(numberOf(2_000 + Math.floor(random() * 8_000)), ip)],
    office: [
      (ip) => request(`+4915${String(Math.floor(random() * 1e9)).padStart(9, '0')}`, ip),
      (ip) => (isShort ? post('/passkeys/sign-in/options', {}, ip) : post('/sessions/codes', { email: `${madeUp()}@example.com` }, ip)),
    ],
  };
  return kinds[target];
}

interface World extends Omit<Aim, 'target' | 'isShort'> {
  fixture: Fixture;
  homeOf: (nth: number) => string;
  pass: (ms: number, isWaited: boolean) => Promise<void>;
}

/** The call, again when its answer says that it may be made. Each such wait is a step. */
const patiently = async ({ pass }: World, pace: Patience, call: () => Promise<Answer>): Promise<Answer> => {
  for (;;) {
    const answer = await call();
    if (answer.status !== 429) return answer;
    const seconds = Number(answer.headers['retry-after'] ?? 60);
    pace.steps++;
    pace.seconds += seconds;
    pace.why.add(String(field(answer, 'code')));
    if (pace.seconds > patienceSeconds) return answer;
    await pass(seconds * 1_000, true);
  }
};

/** Everyone with the right to get in while strangers are at this. */
async function visitorsOf(target: Target, world: World): Promise<Visitor[]> {
  const server = await companyServer(target, world);
  switch (target) {
    case 'phone':
    case 'prefix':
      return [await knownCustomer(world), newCustomer(target, world), server];
    case 'mailbox':
      return [await knownBrowser(world), newBrowser(world), await passkeyOf(world), server];
    case 'office':
      return [
        await knownBrowser(world),
        newBrowser(world),
        await passkeyOf(world),
        await sessionOf(world),
        newCustomer(target, world),
        server,
      ];
  }
}

let customers = 0;
const newCustomer = (target: Target, world: World): Visitor => ({
  kind: 'new customer',
  enter: (pace) => {
    const nth = target === 'phone' ? 1 : 10 + (customers++ % 1_900);
    return verified(world, pace, { phone: world.numberOf(nth), ip: world.homeOf(1 + (nth % 200)) });
  },
});

/** One whose phone was verified before all this, in the same browser: its page has the trust key. */
async function knownCustomer(world: World): Promise<Visitor> {
  const { caller, fixture } = world;
  const customer: Customer = { phone: world.victim.phone, ip: world.homeOf(2) };
  await verified(world, unhurried(), customer);
  fixture.testApp.clock.advance(2 * 60 * minuteMs);
  return {
    kind: 'known customer',
    enter: async (pace) => {
      const body = { identifier: customer.phone, trust_key: customer.trustKey };
      const trusted = await patiently(world, pace, () => caller.post('/request', body, { ip: customer.ip }));
      return field(trusted, 'verified') === true || verified(world, pace, customer);
    },
  };
}

interface Customer {
  phone: string;
  ip: string;
  trustKey?: unknown;
}

/** By public key: a request, and the code of the last message. Another message is a step, for whose time the customer waits. */
async function verified(world: World, pace: Patience, customer: Customer): Promise<boolean> {
  const { caller, fixture, pass } = world;
  const { phone, ip, trustKey } = customer;
  while (pace.seconds <= patienceSeconds) {
    const body = { identifier: phone, ...(trustKey === undefined ? {} : { trust_key: trustKey }) };
    const requested = await patiently(world, pace, () => caller.post('/request', body, { ip }));
    if (requested.status !== 200) return false;
    const code = await fixture.codeFor(phone);
    await pass(readingMs, false);
    const proof = { request_id: field(requested, 'request_id'), code };
    const answer = await patiently(world, pace, () => caller.post('/verify', proof, { ip }));
    if (field(answer, 'verified') === true) {
      customer.trustKey = field(answer, 'trust_key');
      return true;
    }
    const { resend_in_seconds: seconds = 30 } = (field(requested, 'otp_rules') ?? {}) as { resend_in_seconds?: number };
    pace.steps++;
    pace.seconds += seconds;
    const why = field(answer, 'code');
    pace.why.add(typeof why === 'string' ? why : 'a wrong code');
    await pass(seconds * 1_000, true);
  }
  return false;
}

/** The server of the company, which calls with its token, and for customers with its key: the process meets both after the strangers. */
async function companyServer(target: Target, world: World): Promise<Visitor> {
  const { caller, fixture, victim, homeOf } = world;
  const me = (): Promise<Answer> =>
    fixture.testApp.call({ method: 'GET', path: '/api/v1/me', token: caller.company.tokens.owner, sourceIp: homeOf(9) });
  const headers = { 'x-secret-key': caller.secretKey };
  return {
    kind: "the company's server",
    enter: async (pace) => {
      if ((await patiently(world, pace, me)).status !== 200) return false;
      if (target === 'mailbox') return true;
      const phone = target === 'phone' ? victim.phone : world.numberOf(10 + (customers++ % 1_900));
      const requested = await patiently(world, pace, () =>
        caller.post('/request', { identifier: phone, ip_address: '198.19.8.8' }, { headers, ip: homeOf(9) }),
      );
      if (requested.status !== 200) return false;
      const proof = { request_id: field(requested, 'request_id'), code: await fixture.codeFor(phone) };
      const answer = await patiently(world, pace, () => caller.post('/verify', proof, { headers, ip: homeOf(9) }));
      return field(answer, 'verified') === true;
    },
  };
}

/** The calls of a page, with the cookie by which its browser is known. */
function pageAt({ fixture: { testApp } }: World, sourceIp: string) {
  let cookie: string | undefined;
  return async (path: string, body: object): Promise<Answer> => {
    const headers = { ...ofOwnPage, ...(cookie === undefined ? {} : { cookie }) };
    const answer = await testApp.call({ method: 'POST', path: `/api/v1${path}`, headers, body, sourceIp });
    cookie = /__Host-swb_browser=[^;]*/.exec(answer.headers['set-cookie'] ?? '')?.[0] ?? cookie;
    return answer;
  };
}

/** A browser of the user whose mailbox is aimed at, or of a colleague in the office. */
function browserAt(world: World, sourceIp: string) {
  const call = pageAt(world, sourceIp);
  return {
    signIn: async (pace: Patience, email: string): Promise<boolean> => {
      const requested = await patiently(world, pace, () => call('/sessions/codes', { email }));
      if (requested.status !== 200) return false;
      const code = await codeIn(world, email);
      await world.pass(readingMs, false);
      const { request_id } = (requested.body as { data: { request_id: string } }).data;
      return (await patiently(world, pace, () => call('/sessions', { request_id, code }))).status === 200;
    },
  };
}

async function codeIn({ fixture: { testApp } }: World, email: string): Promise<string> {
  await testApp.drain();
  const mail = testApp.emails.map((each) => JSON.stringify(each)).findLast((each) => each.includes(email));
  return /(\d{6,10}) is your verification code/.exec(mail ?? '')?.[1] ?? '';
}

async function userOf({ caller, victim }: World): Promise<{ companyId: number; userId: number; email: string }> {
  const email = users.has(victim.email) ? `colleague.${users.size}.${victim.email}` : victim.email;
  users.add(email);
  const { id } = unwrap(await createUser(caller.company.id, { name: 'Kim', email, role: 'member' }));
  return { companyId: caller.company.id, userId: id, email };
}
const users = new Set<string>();

async function knownBrowser(world: World): Promise<Visitor> {
  const { email } = await userOf(world);
  const browser = browserAt(world, world.homeOf(3));
  await browser.signIn(unhurried(), email);
  world.fixture.testApp.clock.advance(2 * 60 * minuteMs);
  return { kind: 'known browser', enter: (pace) => browser.signIn(pace, email) };
}

const newBrowser = (world: World): Visitor => ({
  kind: 'new browser',
  enter: (pace) => browserAt(world, world.homeOf(4)).signIn(pace, world.victim.email),
});

async function newSession(world: World): Promise<string> {
  const { companyId, userId } = await userOf(world);
  return unwrap(await startSession({ companyId, userId, name: 'Firefox on Linux', signedInBy: 'email_code' })).secret;
}

async function passkeyOf(world: World): Promise<Visitor> {
  const { testApp } = world.fixture;
  const device: Authenticator = authenticator();
  const session = await newSession(world);
  const add = (path: string, body: object): Promise<Answer> => testApp.call(withSession({ method: 'POST', path, body }, session));
  const optionsIn = ({ body }: Answer) => (body as { data: { public_key: Record<string, unknown> } }).data.public_key;
  const made = device.create(optionsIn(await add('/api/v1/passkeys/options', {})));
  await add('/api/v1/passkeys', { credential: made });
  const call = pageAt(world, world.homeOf(5));
  return {
    kind: 'passkey',
    enter: async (pace) => {
      const options = await patiently(world, pace, () => call('/passkeys/sign-in/options', {}));
      if (options.status !== 200) return false;
      const credential: Asserted = device.get(optionsIn(options));
      await world.pass(3_000, false);
      return (await patiently(world, pace, () => call('/passkeys/sign-in', { credential }))).status === 200;
    },
  };
}

/** A colleague who is signed in, whose session the process has not met yet. */
async function sessionOf(world: World): Promise<Visitor> {
  const { testApp } = world.fixture;
  const secret = await newSession(world);
  const me = (): Promise<Answer> =>
    testApp.call({ ...withSession({ method: 'GET', path: '/api/v1/me' }, secret), sourceIp: world.homeOf(6) });
  return { kind: 'open session', enter: async (pace) => (await patiently(world, pace, me)).status === 200 };
}
