import { networkOf } from '../../../shared/access/network.ts';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import type { RequestInput } from '../contract/routes.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { isTrusting } from '../domain/decision.ts';
import { recentSends } from '../domain/request-budget.ts';
import { type Identifier, parseIdentifier } from '../domain/identifier.ts';
import { prefixOf } from '../domain/prefix.ts';
import { riskOf } from '../domain/risk.ts';
import { type RequestOrigin, countryOf, isWhitelisted, findViolatedRule } from '../domain/eligibility-rules.ts';
import type { Channel, Settings } from '../domain/settings.ts';
import { getRequestBudget, type RequestBudget } from '../store/request-budget.ts';
import { getRequest, createRequest } from '../store/request.ts';
import { listWhitelistEntries } from '../store/whitelist.ts';
import { getPrefixCounts } from './fraud-breaker.ts';
import { type CallContext, requireActiveKeyProfile, requireSignature, type Profile, getCallerProfile, checkSignature } from './caller.ts';
import { checkCaptcha } from './captcha.ts';
import { getDataCentreAsn } from './data-centres.ts';
import { checkRequestLimits, type RequestLimits } from './check-request-limits.ts';
import { buildRequest } from './build-request.ts';
import { hashLabel, hashIdentifier, deriveTrustKey } from './secrets.ts';
import { createOrReuseRequest, type VerificationRequest } from './create-or-reuse-request.ts';

/**
 * Asks for a verification (decisions V8-V15): the guards first, then one request, whose stored row leads to the message. At most 4 WRU
 * and 1.5 RRU beyond the credential check, and as many calls for a person nobody knows as for one who is known.
 */
export const requestVerification = async (call: CallContext, input: RequestInput) => {
  const [trust, profile] = await Promise.all([checkSignature(call), getCallerProfile(call.caller, input.profile_id)]);
  if (isProblem(trust)) return trust;
  if (isProblem(profile)) return profile;
  const unsigned = requireSignature(call, profile.settings.require_signature, trust);
  if (unsigned) return unsigned;
  const inactive = requireActiveKeyProfile(call.caller) ?? (profile.status === 'active' ? undefined : problem('profile_inactive'));
  if (inactive) return inactive;
  const asker = await identifyRequester(call, input, profile, trust.trusted);
  const cached = input.trust_key === undefined ? undefined : await findValidTrust(asker, input.trust_key, input.purpose ?? 'default');
  const noted = cached === undefined && asker.ip !== undefined && asker.identifier && !asker.isTest ? asker.person : undefined;
  const [entry, guard] = await Promise.all([
    checkRequestLimits(profile, call.caller.credentialId, asker.countedBy, asker.isExempt ? undefined : noted, asker.at),
    cached === undefined ? getRequestBudget(asker.guardId) : undefined,
  ]);
  if (isProblem(entry)) return entry;
  if (cached === undefined) return { ...(await checkAndCreateRequest(call, input, asker, entry, guard)), headers: entry.headers };
  // the audit line of V12: nothing is stored, and no event tells of it
  log.info('A trusted person was not asked for a code', { code: 'cached' });
  return { kind: 'cached' as const, trustKey: cached, headers: entry.headers };
};

/** Who asks, for whom, and what they are counted by (V16). */
interface Requester {
  profile: Profile;
  identifier: Identifier | undefined;
  person: string;
  guardId: { companyId: number; profileId: string; person: string };
  /** Undefined: a server that names no address. */
  ip: string | undefined;
  countedBy: string;
  /** Its address is on the profile's list: it is not counted for its identifiers. */
  isExempt: boolean;
  isTest: boolean;
  testCode: string | undefined;
  userAgent: string | undefined;
  at: number;
}

async function identifyRequester(call: CallContext, input: RequestInput, profile: Profile, trusted: boolean): Promise<Requester> {
  const identifier = parseIdentifier(input.identifier);
  const person = await hashIdentifier(profile.id, identifier);
  const told = trusted ? input.ip_address : undefined;
  const isServer = trusted && told === undefined && call.caller.credentialKind !== 'public_key';
  const ip = isServer ? undefined : (told ?? call.sourceIp);
  const testCode = identifier && testCodeFor(identifier.value, profile.settings, call.caller.isTest);
  return {
    profile,
    identifier,
    person,
    guardId: { companyId: profile.companyId, profileId: profile.id, person },
    ip,
    countedBy: ip === undefined ? person : networkOf(ip),
    isExempt:
      ip !== undefined &&
      profile.settings.ip_whitelist.length > 0 &&
      findViolatedRule({ identifier: addressOnly, ip }, profile.settings) === undefined,
    isTest: testCode !== undefined,
    testCode,
    userAgent: (trusted ? input.user_agent : undefined) ?? call.headers['user-agent'],
    at: now(),
  };
}

/** Only the address is judged. */
const addressOnly: Identifier = { kind: 'user_id', value: '', channel: 'whatsapp' };

/** V29: those that the profile lists, with any key; one that everybody knows, with a test key. */
function testCodeFor(value: string, { test_identifiers: listed }: Settings, isTestKey: boolean): string | undefined {
  return listed[value] ?? listed[value.replace('+', '')] ?? (isTestKey && value === '+15550001111' ? '123456' : undefined);
}

async function checkAndCreateRequest(
  call: CallContext,
  input: RequestInput,
  asker: Requester,
  entry: RequestLimits,
  guard: RequestBudget | undefined,
) {
  const { profile, identifier, ip, at } = asker;
  const { settings } = profile;
  if (!identifier) return invalid('identifier', 'Must be a phone number with country code (8 to 15 digits) or an email address.');
  const channel = channelFor(identifier, input, settings.channels);
  if (isProblem(channel)) return channel;
  const wish: VerificationRequest = {
    profile,
    identifier,
    person: asker.person,
    channel,
    purpose: input.purpose ?? 'default',
    label: input.trust_key === undefined ? undefined : await hashLabel(input.trust_key),
    network: ip === undefined ? undefined : networkOf(ip),
    userAgent: asker.userAgent?.slice(0, 300),
    country: countryOf(identifier),
    asn: ip === undefined ? undefined : await getDataCentreAsn(ip),
    at,
    silent: input.silent === true,
    testCode: asker.testCode,
    credentialId: call.caller.credentialId,
    operationId: call.operationId,
    risk: undefined,
    isWhitelisted: whitelistLookup(profile, { identifier, ip }, at),
  };
  if (asker.isTest) return createOrReuseRequest(wish, guard);
  const rule = findViolatedRule({ identifier, ip }, settings);
  const isByRisk = settings.captcha.mode === 'risk_based';
  if (entry.velocity && !(await wish.isWhitelisted())) return entry.velocity;
  if (rule && !(await wish.isWhitelisted())) return recordRefusedRequest(wish, rule);
  wish.risk = riskOf({
    identifier,
    recentSends: guard ? recentSends(guard, settings, at).length : 0,
    identifiersOfAddress: entry.identifiers,
    prefix: isByRisk && identifier.kind === 'phone' ? await getPrefixCounts(profile, prefixOf(identifier.value), at) : undefined,
    isFromDataCentre: isByRisk && wish.asn !== undefined && !asker.isExempt && !(await wish.isWhitelisted()),
  });
  const captcha = isCaptchaDue(settings, wish.risk, guard, at) ? await checkCaptcha(profile, input.captcha_token, ip) : undefined;
  return captcha ?? createOrReuseRequest(wish, guard);
}

/** Whether the profile's list speaks for them: read when something stands against them, at most once. 0.5 RRU. */
function whitelistLookup(profile: Profile, asker: RequestOrigin, at: number): () => Promise<boolean> {
  let read: Promise<boolean> | undefined;
  return () => (read ??= listWhitelistEntries(profile.companyId, profile.id).then((exceptions) => isWhitelisted(asker, exceptions, at)));
}

/** A rule's refusal leaves a record (V14), which /status shows. */
async function recordRefusedRequest(wish: VerificationRequest, rule: NonNullable<ReturnType<typeof findViolatedRule>>) {
  const request = {
    ...(await buildRequest(wish)),
    status: 'blocked' as const,
    reason: rule,
    sends: 0,
    endedAt: wish.at,
    sealedCode: undefined,
  };
  await createRequest(request);
  return problem(rule, { details: { request_id: request.id } });
}

function isCaptchaDue(
  { captcha, ...settings }: Settings,
  risk: { reasons: readonly string[] },
  guard: RequestBudget | undefined,
  at: number,
): boolean {
  switch (captcha.mode) {
    case 'disabled':
      return false;
    case 'always':
      return true;
    case 'risk_based':
      return risk.reasons.length > 0;
    case 'after_x_attempts':
      return (
        guard !== undefined && Math.max(recentSends(guard, { ...settings, captcha }, at).length, guard.spent) >= captcha.after_attempts
      );
  }
}

function channelFor(
  identifier: Identifier,
  { channel: asked, silent }: RequestInput,
  allowed: readonly Channel[],
): Channel | Problem<'validation_failed'> {
  if (identifier.kind === 'user_id' && silent !== true)
    return invalid('identifier', 'No code can be sent to a user id: send silent, and let the person write.');
  if (asked !== undefined && asked !== identifier.channel)
    return invalid(
      'channel',
      `${asked} cannot reach ${identifier.kind === 'email' ? 'an email address; use email' : 'a phone number given here; use whatsapp'}.`,
    );
  return allowed.includes(identifier.channel) ? identifier.channel : invalid('channel', 'This profile does not allow the channel.');
}

/** The trust key of a person whom the given key or label proves (V12, V19); undefined when it proves nobody. 0.5 RRU, at most 5.5. */
async function findValidTrust({ profile, guardId, at }: Requester, given: string, purpose: string): Promise<string | undefined> {
  const { settings } = profile;
  if (settings.trust.ttl_days === 0) return undefined;
  const guard = await getRequestBudget(guardId);
  if (!guard) return undefined;
  const label = await hashLabel(given);
  const since = { trustFrom: Math.max(guard.trustFrom ?? -1, profile.trustFrom ?? -1) };
  const keyOf = (id: string): Promise<string> => deriveTrustKey(profile.id, id, guard.person);
  const proves = async (id: string, held: string | undefined): Promise<boolean> =>
    (held !== undefined && sameSecret(held, label)) || sameSecret(await keyOf(id), given);
  const isFor = (of: string): boolean => settings.trust.cross_purpose || of === purpose;
  for (const each of guard.trusted)
    if (isFor(each.purpose) && isTrusting(since, each.provenAt, settings, at) && (await proves(each.id, each.label))) return keyOf(each.id);
  for (const [of, each] of Object.entries(guard.last)) {
    if (!isFor(of) || !(await proves(each.id, each.label))) continue;
    const request: StoredRequest | undefined = await getRequest(profile.companyId, each.id, { consistent: true });
    if (request?.status === 'verified' && isTrusting(since, request.endedAt ?? 0, settings, at)) return keyOf(each.id);
  }
  return undefined;
}
