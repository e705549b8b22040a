import { randomUUID } from 'node:crypto';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import type { RequestInput, StoredRequest } from '../contract.ts';
import { cooldownSeconds, newCode } from '../domain/code.ts';
import { bombingBlockMs, type GuardState, isBlocked, keptBlocks, oldHours, recentSends, secondsUntil } from '../domain/guard.ts';
import { domainOf, type Identifier, isUnder, parseIdentifier } from '../domain/identifier.ts';
import type { Channel } from '../domain/settings.ts';
import { isRightCaptcha } from '../gateway.ts';
import {
  askForSend,
  budgetBlock,
  changeSource,
  decideGuard,
  findGuard,
  findRequest,
  type Guard,
  type GuardChange,
  guessField,
  hourField,
  insertRequest,
  noteSource,
  seenSince,
} from '../store.ts';
import { type Call, limitCall, mustBeSigned, networkOf, type Profile, profileOf, trustOf } from './caller.ts';
import { codeHash, labelHash, personOf, random, sealFor, trustKeyOf } from './secrets.ts';

const dayMs = 86_400_000;
/** Requests and their trust are kept this long (V19, V20). */
const keptMs = 30 * dayMs;
const afterFailureMs = 10 * 60_000;

export interface Asked {
  kind: 'asked';
  request: StoredRequest;
  reused: boolean;
  profile: Profile;
}
export interface Cached {
  kind: 'cached';
  trustKey: string;
}

/**
 * Asks for a verification (decisions V8-V15): the guards first, then one request, whose stored row leads to the message. At most
 * 4 WRU and 1.5 RRU beyond the credential and a signature, the count of V16 included.
 */
export const ask = async (call: Call, input: RequestInput) => {
  const [trust, profile] = await Promise.all([trustOf(call), profileOf(call.caller, input.profile_id)]);
  if (isProblem(trust)) return trust;
  if (isProblem(profile)) return profile;
  const unsigned = mustBeSigned(call, profile.settings.require_signature, trust);
  if (unsigned) return unsigned;
  const identifier = parseIdentifier(input.identifier);
  const person = await personOf(profile.id, identifier?.value ?? '');
  const told = trust.trusted ? input.ip_address : undefined;
  const ip = networkOf(told ?? call.sourceIp);
  const { companyId, credentialId } = call.caller;
  const about = trust.trusted && told === undefined && call.caller.credentialKind !== 'public_key' ? person : ip;
  const limited = await limitCall({ companyId, credentialId, about });
  if (isProblem(limited)) return limited;
  const outcome = await askWithin(call, input, { profile, identifier, person, ip });
  return isProblem(outcome) ? { ...outcome, headers: limited.headers } : { ...outcome, headers: limited.headers };
};

interface Subject {
  profile: Profile;
  identifier: Identifier | undefined;
  person: string;
  ip: string;
}

async function askWithin(call: Call, input: RequestInput, subject: Subject) {
  const { profile, person, ip } = subject;
  const { settings } = profile;
  if (profile.status !== 'active') return problem('profile_inactive');
  if (!subject.identifier) return invalid('identifier', 'Must be a phone number with country code (8 to 15 digits) or an email address.');
  const identifier = subject.identifier;
  const channel = channelFor(identifier, input.channel, settings.channels);
  if (isProblem(channel)) return channel;
  const forbidden = ruledOut(identifier, ip, profile);
  if (forbidden) return forbidden;
  const purpose = input.purpose ?? 'default';
  const guardId = { companyId: profile.companyId, profileId: profile.id, person };
  const at = now();
  const testCode = settings.test_identifiers[identifier.value] ?? settings.test_identifiers[identifier.value.replace('+', '')];
  const guard = await findGuard(guardId);
  const label = input.trust_key === undefined ? undefined : await labelHash(input.trust_key);
  if (input.trust_key !== undefined && guard) {
    const trusted = await trustedBefore(guard, profile, purpose, input.trust_key, label ?? '', at);
    if (trusted !== undefined) return { kind: 'cached' as const, trustKey: await trustKeyOf(profile.id, trusted, person) };
  }
  const captcha = await captchaProblem(guard, profile, input, call.sourceIp, at);
  if (captcha) return captcha;
  if (testCode === undefined) {
    const velocity = await velocityProblem(profile, ip, person, at);
    if (velocity) return velocity;
  }
  const wish: Wish = {
    profile,
    identifier,
    person,
    channel,
    purpose,
    label,
    ip,
    at,
    silent: input.silent === true,
    testCode,
    credentialId: call.caller.credentialId,
  };
  return settle(wish, guard);
}

interface Wish {
  profile: Profile;
  identifier: Identifier;
  person: string;
  channel: Channel;
  purpose: string;
  label: string | undefined;
  ip: string;
  at: number;
  silent: boolean;
  testCode: string | undefined;
  credentialId: number;
}

/** Decides on the guard as it was read; when another request decided meanwhile, on the guard as it is then. */
async function settle(wish: Wish, read: Guard | undefined) {
  const { profile, person } = wish;
  const id = { companyId: profile.companyId, profileId: profile.id, person };
  let guard = read;
  for (let attempt = 0; attempt < 5; attempt++) {
    const pointer = guard?.last[wish.purpose];
    const before = pointer && (await findRequest(profile.companyId, pointer.id));
    const decision = await decide(wish, guard, before);
    if ('refused' in decision) {
      if (decision.change) await decideGuard(id, guard, decision.change, wish.at);
      return decision.refused;
    }
    const written = await decideGuard(id, guard, decision.change, wish.at);
    if (written.done) {
      const stored = decision.reuses
        ? await askForSend(decision.reuses, {
            expiresAt: decision.request.expiresAt,
            until: decision.request.until,
            sends: decision.request.sends,
            lastSendAt: decision.request.lastSendAt,
          })
        : await insertRequest(decision.request);
      if (stored.done) return { kind: 'asked' as const, request: stored.item, reused: decision.reuses !== undefined, profile };
    }
    guard = await findGuard(id, { consistent: true });
  }
  return problem('temporarily_unavailable', { retryAfterSeconds: 1 });
}

type Decision =
  | { refused: Problem<'otp_bombing' | 'too_many_attempts' | 'too_many_sends' | 'blocked'>; change?: GuardChange }
  | { request: StoredRequest; reuses: StoredRequest | undefined; change: GuardChange };

async function decide(wish: Wish, guard: Guard | undefined, before: StoredRequest | undefined): Promise<Decision> {
  const { profile, at } = wish;
  const { settings } = profile;
  const state: GuardState & Pick<Guard, 'last' | 'trusted'> = guard ?? { sends: [], blocks: [], spent: 0, last: {}, trusted: [] };
  const isTest = wish.testCode !== undefined;
  const old = oldHours(guard ?? {}, at);
  const isPending = before?.status === 'pending' && before.expiresAt > at;
  if (!isTest) {
    if (isBlocked(state, at))
      return {
        refused: problem(state.blockReason === budgetBlock ? 'too_many_attempts' : 'otp_bombing', {
          retryAfterSeconds: secondsUntil(state.blockedUntil ?? at, at),
        }),
      };
    if (state.spent - old.forgiven >= settings.guess_budget_per_day)
      return { refused: problem('too_many_attempts', { retryAfterSeconds: 3_600 }) };
    if (before?.status === 'failed' && (before.endedAt ?? 0) + afterFailureMs > at)
      return {
        refused: problem(before.reason === 'attempts_exhausted' ? 'too_many_attempts' : 'blocked', {
          retryAfterSeconds: secondsUntil((before.endedAt ?? 0) + afterFailureMs, at),
        }),
      };
    if (isPending && before.sends >= settings.otp.max_sends && !wish.silent)
      return { refused: problem('too_many_sends', { retryAfterSeconds: secondsUntil(before.expiresAt, at) }) };
  }
  const recent = recentSends(state, settings, at);
  if (!isTest && recent.length >= settings.bombing.max_requests) {
    const lasts = bombingBlockMs(state, settings, at);
    return {
      refused: problem('otp_bombing', { retryAfterSeconds: secondsUntil(at + lasts, at) }),
      change: {
        set: { sends: [], blockedUntil: at + lasts, blockReason: 'otp_bombing', blocks: [...keptBlocks(state, at), at], ...life(at) },
        add: {},
        remove: [],
      },
    };
  }
  const request = isPending ? again(wish, before) : await fresh(wish);
  return { request, reuses: isPending ? before : undefined, change: changeOf(wish, state, before, request, recent, old) };
}

/** What the guard is after a request: the message counted, the pointer moved, a verified predecessor remembered for its trust. */
function changeOf(
  wish: Wish,
  state: Pick<Guard, 'last' | 'trusted'>,
  before: StoredRequest | undefined,
  request: StoredRequest,
  recent: readonly number[],
  old: ReturnType<typeof oldHours>,
): GuardChange {
  const { profile, at } = wish;
  const trustMs = profile.settings.trust.ttl_days * dayMs;
  const proven = before?.status === 'verified' && before.endedAt !== undefined ? before : undefined;
  const living = state.trusted.filter(({ until, id }) => until > at && id !== proven?.id);
  const trusted = proven
    ? [
        ...living,
        {
          id: proven.id,
          purpose: proven.purpose,
          until: (proven.endedAt ?? at) + trustMs,
          ...(proven.label ? { label: proven.label } : {}),
        },
      ]
    : living;
  const pointer = {
    id: request.id,
    createdAt: request.createdAt,
    expiresAt: request.expiresAt,
    ...(request.label ? { label: request.label } : {}),
  };
  const others = Object.entries(state.last).filter(([purpose]) => purpose !== wish.purpose);
  const kept = others.toSorted(([, a], [, b]) => b.createdAt - a.createdAt).filter(([, each], index) => index < 9 || each.expiresAt > at);
  const dropped = [
    ...others.filter((each) => !kept.includes(each)).map(([, { id }]) => guessField(id)),
    ...(before && before.id !== request.id ? [guessField(before.id)] : []),
  ];
  // a right code was counted as a guess before anyone knew that it was right
  const rightHour = proven?.via === 'code' ? hourField(proven.endedAt ?? at) : undefined;
  const givesBack = rightHour !== undefined && (Number(rightHour.slice(2)) + 25) * 3_600_000 > at;
  const forgiven = old.forgiven + (givesBack ? 1 : 0);
  return {
    set: {
      sends: wish.testCode === undefined ? [...recent, at].slice(-profile.settings.bombing.max_requests) : recent,
      last: { ...Object.fromEntries(kept), [wish.purpose]: pointer },
      trusted: trusted.toSorted((a, b) => a.until - b.until).slice(-10),
      ...life(at),
    },
    add: { ...(forgiven > 0 ? { spent: -forgiven } : {}), ...(givesBack && rightHour ? { [rightHour]: -1 } : {}) },
    remove: [...dropped, ...old.fields],
  };
}

const life = (at: number) => {
  const until = Math.floor((at + keptMs + dayMs) / 1_000);
  return { until, ttl: until };
};

/** The same request and code, a longer life (V11), within the longest. */
function again(wish: Wish, before: StoredRequest): StoredRequest {
  const { otp } = wish.profile.settings;
  const expiresAt = Math.max(
    before.expiresAt,
    Math.min(wish.at + otp.expiry_seconds * 1_000, before.createdAt + otp.max_lifetime_seconds * 1_000),
  );
  return wish.silent ? { ...before, expiresAt } : { ...before, expiresAt, sends: before.sends + 1, lastSendAt: wish.at };
}

async function fresh(wish: Wish): Promise<StoredRequest> {
  const { profile, at } = wish;
  const id = randomUUID();
  const code = wish.testCode ?? newCode(profile.settings.otp, random);
  const [hash, sealedCode, sealedIdentifier] = await Promise.all([
    codeHash(id, code),
    sealFor(id, 'code', code),
    sealFor(id, 'identifier', wish.identifier.value),
  ]);
  return {
    companyId: profile.companyId,
    id,
    profileId: profile.id,
    credentialId: wish.credentialId,
    person: wish.person,
    sealedIdentifier,
    sealedCode,
    codeHash: hash,
    channel: wish.channel,
    purpose: wish.purpose,
    status: 'pending',
    maxAttempts: profile.settings.otp.max_attempts,
    guessBudget: profile.settings.guess_budget_per_day,
    ...(profile.settings.require_signature ? { mustSign: true } : {}),
    ...(wish.testCode === undefined ? {} : { test: true }),
    ...(wish.label === undefined ? {} : { label: wish.label }),
    sends: wish.silent ? 0 : 1,
    claimedSend: 0,
    lastSendAt: wish.silent ? 0 : at,
    ip: wish.ip,
    createdAt: at,
    expiresAt: at + profile.settings.otp.expiry_seconds * 1_000,
    until: Math.floor((at + keptMs) / 1_000),
  };
}

function channelFor(
  identifier: Identifier,
  asked: Channel | undefined,
  allowed: readonly Channel[],
): Channel | Problem<'validation_failed'> {
  if (asked !== undefined && asked !== identifier.channel)
    return invalid(
      'channel',
      `${asked} cannot reach ${identifier.kind === 'phone' ? 'a phone number given here; use whatsapp' : 'an email address; use email'}.`,
    );
  return allowed.includes(identifier.channel) ? identifier.channel : invalid('channel', 'This profile does not allow the channel.');
}

/** Country, domain and address rules (V14). */
function ruledOut(identifier: Identifier, ip: string, { settings }: Profile) {
  if (settings.ip_whitelist.includes(ip)) return undefined;
  const { countries, email_domains: domains } = settings;
  if (identifier.kind === 'email') {
    const domain = domainOf(identifier.value);
    if (isUnder(domain, domains.block) || (domains.allow.length > 0 && !isUnder(domain, domains.allow)))
      return problem('domain_not_allowed');
    return undefined;
  }
  if (countries.mode === 'all') return undefined;
  const country = parsePhoneNumberFromString(identifier.value)?.country;
  const isListed = country !== undefined && countries.list.some((each) => each.toUpperCase() === country);
  return isListed === (countries.mode === 'allow') ? undefined : problem('country_not_allowed');
}

/** The request whose trust the given key or label proves (V12, V19); undefined when none does. */
async function trustedBefore(
  guard: Guard,
  profile: Profile,
  purpose: string,
  given: string,
  label: string,
  at: number,
): Promise<string | undefined> {
  const { ttl_days: days, cross_purpose: cross } = profile.settings.trust;
  if (days === 0) return undefined;
  const proves = async (id: string, held: string | undefined): Promise<boolean> =>
    (held !== undefined && sameSecret(held, label)) || sameSecret(await trustKeyOf(profile.id, id, guard.person), given);
  for (const each of guard.trusted)
    if (each.until > at && (cross || each.purpose === purpose) && (await proves(each.id, each.label))) return each.id;
  for (const [of, each] of Object.entries(guard.last)) {
    if ((!cross && of !== purpose) || !(await proves(each.id, each.label))) continue;
    const request = await findRequest(profile.companyId, each.id, { consistent: true });
    if (request?.status === 'verified' && (request.endedAt ?? 0) + days * dayMs > at) return each.id;
  }
  return undefined;
}

async function captchaProblem(guard: Guard | undefined, { settings }: Profile, input: RequestInput, ip: string, at: number) {
  const { mode, after_attempts: after } = settings.captcha;
  const recent = guard ? recentSends(guard, settings, at).length : 0;
  const isNeeded =
    mode === 'always' ||
    (mode === 'after_x_attempts' && Math.max(recent, guard?.spent ?? 0) >= after) ||
    (mode === 'risk_based' && recent > 0);
  if (!isNeeded) return undefined;
  if (!input.captcha_token) return problem('captcha_required', { details: { captcha_token: ['A CAPTCHA answer is needed.'] } });
  return (await isRightCaptcha(settings.captcha, input.captcha_token, ip))
    ? undefined
    : problem('captcha_failed', { details: { captcha_token: ['The CAPTCHA answer is not valid.'] } });
}

/** Counts the identifier for its address first, then looks how many there were (V15). */
async function velocityProblem(
  profile: Profile,
  address: string,
  person: string,
  at: number,
): Promise<Problem<'velocity_limit'> | undefined> {
  const { velocity, ip_whitelist: exempt } = profile.settings;
  if (exempt.includes(address)) return undefined;
  const id = { companyId: profile.companyId, profileId: profile.id, address };
  const until = Math.floor(at / 1_000) + Math.max(velocity.window_seconds, velocity.block_seconds) + 3_600;
  const noted = await noteSource(id, person, at, until);
  if (!noted.done) return problem('velocity_limit', { retryAfterSeconds: secondsUntil(noted.current?.blockedUntil ?? at, at) });
  const { fresh: seen, stale } = seenSince(noted.item, at - velocity.window_seconds * 1_000);
  if (seen > velocity.max_identifiers) {
    await changeSource(id, { blockedUntil: at + velocity.block_seconds * 1_000 }, stale.slice(0, 100));
    return problem('velocity_limit', { retryAfterSeconds: velocity.block_seconds });
  }
  if (stale.length > 10) await changeSource(id, {}, stale.slice(0, 100));
  return undefined;
}

/** The answer's body (V10); `base` is where the outside reaches us. */
export const askedBody = ({ request, reused, profile }: Asked, base: string) => ({
  success: true as const,
  cached: false as const,
  reused,
  request_id: request.id,
  status: 'pending' as const,
  expires_at: isoTime(request.expiresAt),
  otp_rules: {
    length: profile.settings.otp.length,
    type: profile.settings.otp.type,
    expiry_seconds: secondsUntil(request.expiresAt, now()),
    resend_in_seconds: request.sends === 0 ? 0 : cooldownSeconds(profile.settings.otp, request.sends),
  },
  mobile_actions: {
    one_click_whatsapp: { enabled: false, intent_url: null, universal_url: null },
    polling_url: `${base}/api/v1/verification/status/${request.id}`,
  },
});
