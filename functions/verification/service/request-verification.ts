import { networkOf } from '../../../shared/access/network.ts';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import type { RequestInput } from '../contract/routes.ts';
import { countryOf, findViolatedRule, isWhitelisted, type RequestOrigin, type RuleCode } from '../domain/eligibility-rules.ts';
import type { Identifier } from '../domain/identifier.ts';
import { countedWithin, prefixOf } from '../domain/prefix.ts';
import { recentSends } from '../domain/request-budget.ts';
import { resultIn } from '../domain/request-result.ts';
import { type Risk, riskOf } from '../domain/risk.ts';
import type { Channel, Settings } from '../domain/settings.ts';
import { createRequest } from '../store/request.ts';
import type { PrefixCounts, PrefixId } from '../store/prefix.ts';
import { getRequestBudgetAndPrefix, type RequestBudget, type RequestBudgetId } from '../store/request-budget.ts';
import { listWhitelistEntries } from '../store/whitelist.ts';
import { type BrowserScope, buildRequest, type VerificationRequest } from './build-request.ts';
import {
  type CallContext,
  type CallerTrust,
  checkSignature,
  requireActiveKeyProfile,
  requireSignature,
  type SignatureProblem,
} from './caller.ts';
import { checkCaptcha } from './captcha.ts';
import { getProfileRate } from './code-rate.ts';
import { checkRequestLimits, type RequestLimits } from './check-request-limits.ts';
import { createOrReuseRequest, type CreateRequestProblem, type RequestInProgress } from './create-or-reuse-request.ts';
import { getDataCentreAsn } from './data-centres.ts';
import { checkCountryLimit, countProofs, fraudBlocked, openBreakerUntil } from './fraud-breaker.ts';
import { getCallerProfile, type CompleteProfile } from './profile.ts';
import { readIdentifier } from './read-identifier.ts';
import { hashIdentifier, hashLabel, hashRequester, hashSource } from './secrets.ts';
import { checkTrust, isBindable, noTrust } from './trust.ts';

/** A code is on its way, or the trust key of an earlier verification made one unnecessary. */
export type RequestVerificationResult =
  | { kind: 'pending'; inProgress: RequestInProgress; profile: CompleteProfile; identifier: Identifier; headers: Record<string, string> }
  | { kind: 'trusted'; trustKey: string; headers: Record<string, string> };

export type { BrowserScope };

type AccessProblem = SignatureProblem | Problem<'signature_required' | 'profile_inactive' | 'profile_mismatch' | 'profile_not_found'>;
type RejectionProblem =
  | CreateRequestProblem
  | Problem<RuleCode | 'validation_failed' | 'velocity_limit' | 'captcha_required' | 'captcha_failed' | 'fraud_blocked'>;

/**
 * POST /verification/request: check the caller, accept a valid trust key, apply the rate limits and rules, then create or reuse one
 * request and enqueue its code. At most 4 WRU and 1 RRU beyond the credential check, the same for unknown and known identifiers.
 */
export const requestVerification = async (
  call: CallContext,
  input: RequestInput,
  browser?: BrowserScope,
): Promise<RequestVerificationResult | AccessProblem | RejectionProblem | Problem<'rate_limited'>> => {
  const access = await checkAccess(call, input);
  if (isProblem(access)) return access;
  const requester = await identifyRequester(call, input, { ...access, browser });
  const trust = input.trust_key === undefined ? noTrust : await checkTrust(requester, input.trust_key, purposeOf(input));
  const trustKey = trust.isBlocked ? undefined : trust.trustKey;
  const [limits, read] = await Promise.all([
    checkLimits(call, requester, trustKey !== undefined),
    trustKey === undefined ? getRequestBudgetAndPrefix(requester.budgetId, prefixIdOf(requester)) : { budget: undefined },
  ]);
  if (isProblem(limits)) return limits;
  const { headers } = limits;
  if (trustKey !== undefined) {
    // the audit trail of a cached verification: no row is stored and no event is published
    log.info('A valid trust key made a code unnecessary', { code: 'cached' });
    return { kind: 'trusted', trustKey, headers };
  }
  const request = await toVerificationRequest(call, input, requester, trust.trustKey !== undefined);
  if (isProblem(request)) return { ...request, headers };
  const inProgress = await checkAndCreateRequest(request, requester, { limits, read, captchaToken: input.captcha_token });
  if (isProblem(inProgress)) return { ...inProgress, headers };
  return { kind: 'pending', inProgress, profile: request.profile, identifier: request.identifier, headers };
};

interface Access extends CallerTrust {
  profile: CompleteProfile;
}

async function checkAccess(call: CallContext, input: RequestInput): Promise<Access | AccessProblem> {
  const [trust, profile] = await Promise.all([checkSignature(call), getCallerProfile(call.caller, input.profile_id)]);
  if (isProblem(trust)) return trust;
  if (isProblem(profile)) return profile;
  const unsigned = requireSignature(call, profile.settings.require_signature, trust);
  if (unsigned) return unsigned;
  const inactive = requireActiveKeyProfile(call.caller) ?? (profile.status === 'active' ? undefined : problem('profile_inactive'));
  return inactive ?? { ...trust, profile };
}

/** Who requests a verification, for which identifier. */
interface Requester {
  profile: CompleteProfile;
  /** `undefined` when the input is neither a phone number nor an email address nor a user id. */
  identifier: Identifier | undefined;
  /** Why there is no identifier. */
  refused: Problem<'validation_failed'> | undefined;
  identifierHash: string;
  budgetId: RequestBudgetId;
  /** The end user's address; `undefined` for a server that passes none. */
  ip: string | undefined;
  /** What the rate limit counts by: the network of the address, else the identifier. */
  source: string;
  /** What attempts at the identifier are counted by. */
  attemptSource: string;
  /** The address is on the profile's `ip_whitelist`: its identifiers are not counted. */
  isVelocityExempt: boolean;
  isTrusted: boolean;
  testCode: string | undefined;
  browser: BrowserScope | undefined;
  userAgent: string | undefined;
  at: number;
}

async function identifyRequester(
  call: CallContext,
  input: RequestInput,
  { profile, isTrusted, browser }: Access & { browser: BrowserScope | undefined },
): Promise<Requester> {
  const read = await readIdentifier(profile.companyId, input.identifier);
  const identifier = isProblem(read) ? undefined : read;
  const identifierHash = await hashIdentifier(profile.id, identifier, browser?.key);
  const passedAddress = isTrusted ? input.ip_address : undefined;
  const isServer = isTrusted && passedAddress === undefined && call.caller.credentialKind !== 'public_key';
  const ip = isServer ? undefined : (passedAddress ?? call.sourceIp);
  return {
    profile,
    identifier,
    refused: isProblem(read) ? read : undefined,
    identifierHash,
    budgetId: { companyId: profile.companyId, profileId: profile.id, identifierHash },
    ip,
    source: ip === undefined ? identifierHash : networkOf(ip),
    attemptSource: await hashSource(identifierHash, ip),
    isVelocityExempt:
      ip !== undefined &&
      profile.settings.ip_whitelist.length > 0 &&
      findViolatedRule({ identifier: addressOnly, ip }, profile.settings) === undefined,
    isTrusted,
    browser,
    testCode: identifier && testCodeFor(identifier.value, profile.settings, call.caller.isTest),
    userAgent: (isTrusted ? input.user_agent : undefined) ?? call.headers['user-agent'],
    at: now(),
  };
}

/** An identifier that no rule refuses, to evaluate the address alone. */
const addressOnly: Identifier = { kind: 'user_id', value: '', channel: 'whatsapp' };

/** The fixed code of a test identifier: those of the profile with any key, +15550001111 with a test key. */
function testCodeFor(value: string, { test_identifiers: listed }: Settings, isTestKey: boolean): string | undefined {
  return listed[value] ?? listed[value.replace('+', '')] ?? (isTestKey && value === '+15550001111' ? '123456' : undefined);
}

/** What a decision reads: what the requests of the identifier share, and what the numbers of its prefix do. */
interface ReadState {
  budget: RequestBudget | undefined;
  prefix?: PrefixCounts | undefined;
}

const prefixIdOf = ({ budgetId: { companyId, profileId }, identifier }: Requester): PrefixId | undefined =>
  identifier?.kind === 'phone' ? { companyId, profileId, prefix: prefixOf(identifier.value) } : undefined;

const purposeOf = ({ purpose }: RequestInput): string => purpose ?? 'default';

async function checkLimits(call: CallContext, requester: Requester, isCached: boolean): Promise<RequestLimits | Problem<'rate_limited'>> {
  const { profile, ip, identifier, identifierHash, testCode, isVelocityExempt, source, browser, at } = requester;
  const isRequested = !isCached && ip !== undefined && testCode === undefined && !browser?.isKnown;
  // a browser that forgets its cookie requests the same address again
  const countedHash = browser ? await hashIdentifier(profile.id, identifier) : identifierHash;
  const requested = isRequested && identifier ? { identifierHash: countedHash, identifier } : undefined;
  return checkRequestLimits(
    profile,
    call.caller.credentialId,
    source,
    { identifierHash: isVelocityExempt ? undefined : requested?.identifierHash, requested },
    at,
  );
}

async function toVerificationRequest(
  call: CallContext,
  input: RequestInput,
  {
    profile,
    identifier,
    refused,
    identifierHash,
    ip: address,
    isTrusted,
    attemptSource,
    userAgent: agent,
    testCode,
    browser,
    at,
  }: Requester,
  hasLiveTrust: boolean,
): Promise<VerificationRequest | Problem<'validation_failed'>> {
  if (!identifier) return refused ?? problem('validation_failed');
  const channel = selectChannel(identifier, input, profile.settings.channels);
  if (isProblem(channel)) return channel;
  const label = input.trust_key === undefined ? undefined : await hashLabel(identifierHash, input.trust_key);
  const ip = address === undefined ? undefined : networkOf(address);
  const userAgent = agent?.slice(0, 300);
  const isSilent = input.silent === true;
  return {
    profile,
    identifier,
    identifierHash,
    channel,
    purpose: purposeOf(input),
    label: input.trust_key !== undefined && isBindable(input.trust_key, isTrusted) ? label : undefined,
    requester: await hashRequester({ isTrusted, label, ip, userAgent, isSilent }),
    isTrusted,
    source: attemptSource,
    hasLiveTrust,
    ip,
    userAgent,
    country: countryOf(identifier),
    asn: address === undefined ? undefined : await getDataCentreAsn(address),
    risk: undefined,
    at,
    isSilent,
    testCode,
    credentialId: call.caller.credentialId,
    ...(browser ? { browser } : {}),
    operationId: call.operationId,
  };
}

function selectChannel(
  identifier: Identifier,
  { channel: requested, silent }: RequestInput,
  allowed: readonly Channel[],
): Channel | Problem<'validation_failed'> {
  if (identifier.kind === 'user_id' && silent !== true)
    return invalid('identifier', 'No code can be sent to a user id. Send "silent": true and let the customer send the one-click message.');
  if (requested !== undefined && requested !== identifier.channel)
    return invalid(
      'channel',
      `${requested} cannot reach ${identifier.kind === 'email' ? 'an email address; use email' : 'a phone number given here; use whatsapp'}.`,
    );
  return allowed.includes(identifier.channel) ? identifier.channel : invalid('channel', 'This profile does not allow the channel.');
}

/** Velocity, rules, risk, CAPTCHA and fraud breakers, in this order; a test identifier skips them. Then the request is created or reused. */
async function checkAndCreateRequest(
  request: VerificationRequest,
  requester: Requester,
  given: { limits: RequestLimits; read: ReadState; captchaToken: string | undefined },
): Promise<RequestInProgress | RejectionProblem> {
  const { profile, identifier } = request;
  const { limits, read } = given;
  const { budget } = read;
  const isOnWhitelist = whitelistLookup(profile, { identifier, ip: requester.ip }, request.at);
  if (requester.testCode !== undefined) return createOrReuseRequest(request, budget);
  // whose identifier was verified before does not wait for the strangers of the same office or carrier
  if (limits.velocity && !isKnown(request, budget) && !(await isOnWhitelist())) return limits.velocity;
  if (limits.bombing && !request.hasLiveTrust) return limits.bombing;
  const rule = findViolatedRule({ identifier, ip: requester.ip }, profile.settings);
  if (rule && !(await isOnWhitelist())) return recordRefusedRequest(request, rule, requester.ip);
  const risk = await assessRisk(request, requester, { limits, read, isOnWhitelist });
  // an answer of the CAPTCHA keeps programs away; a server, or a profile without one, gets longer codes
  const { isSprayed, pumped } = await getProfileRate(profile);
  const breakerUntil = isKnown(request, budget) ? undefined : await openBreakerUntil(request, read.prefix, pumped);
  const hasCaptcha = !request.isTrusted && profile.settings.captcha.secret_key !== '';
  const isCaptchaForced = hasCaptcha && (isSprayed || (breakerUntil !== undefined && !(await isOnWhitelist())));
  const captcha =
    isCaptchaForced || isCaptchaDue(profile.settings, risk, budget, request.at)
      ? await checkCaptcha(profile, given.captchaToken, requester.ip)
      : undefined;
  if (captcha) return captcha;
  // without a CAPTCHA an open breaker slows by source: who requested one number only is no ring
  const isRing = breakerUntil !== undefined && !hasCaptcha && limits.identifierCount > 1;
  const fraud = isRing ? fraudBlocked(breakerUntil, request.at) : await checkCountryLimit(request);
  if (fraud && !(await isOnWhitelist())) return fraud;
  const hasLongerCode = (isSprayed && !isCaptchaForced) || isOfNewBrowser(request);
  return createOrReuseRequest({ ...request, risk, hasLongerCode }, budget);
}

/** Strangers with ever new browsers have some 600 tries a day at one mailbox: with six digits odds of 6 in 10,000. */
const isOfNewBrowser = ({ browser }: VerificationRequest): boolean => browser !== undefined && !browser.isKnown;

/** Whether the identifier was verified before, or its user gave a live trust key. */
const isKnown = ({ hasLiveTrust }: VerificationRequest, budget: RequestBudget | undefined): boolean =>
  hasLiveTrust ||
  (budget !== undefined &&
    (budget.trusted.length > 0 || Object.values(budget.last).some(({ id }) => resultIn(id, budget)?.status === 'verified')));

/** Whether the profile's whitelist holds the identifier, its country or domain, or the address: read once, when first needed. 0.5 RRU. */
function whitelistLookup(profile: CompleteProfile, origin: RequestOrigin, at: number): () => Promise<boolean> {
  let lookup: Promise<boolean> | undefined;
  return () => (lookup ??= listWhitelistEntries(profile.companyId, profile.id).then((entries) => isWhitelisted(origin, entries, at)));
}

/** Stores a request that a rule refused, so that GET /verification/status shows why. */
async function recordRefusedRequest(request: VerificationRequest, rule: RuleCode, ip: string | undefined): Promise<Problem<RuleCode>> {
  const refused = {
    ...(await buildRequest(request)),
    status: 'blocked' as const,
    reason: rule,
    sends: 0,
    endedAt: request.at,
    sealedCode: undefined,
  };
  await createRequest(refused);
  const seen =
    rule === 'ip_not_allowed'
      ? { message: `The profile does not allow requests from ${ip}.`, details: { request_id: refused.id, address: ip } }
      : {};
  return problem(rule, { details: { request_id: refused.id }, ...seen });
}

async function assessRisk(
  { profile, identifier, asn, at }: VerificationRequest,
  { isVelocityExempt }: Requester,
  { limits, read, isOnWhitelist }: { limits: RequestLimits; read: ReadState; isOnWhitelist: () => Promise<boolean> },
): Promise<Risk> {
  const { budget } = read;
  const isByRisk = profile.settings.captcha.mode === 'risk_based';
  return riskOf({
    identifier,
    recentSends: budget ? recentSends(budget, profile.settings, at).length : 0,
    identifiersOfAddress: limits.identifierCount,
    prefix:
      isByRisk && identifier.kind === 'phone'
        ? { requested: countedWithin(read.prefix, at), proven: await countProofs(profile, prefixOf(identifier.value), at) }
        : undefined,
    isFromDataCentre: isByRisk && asn !== undefined && !isVelocityExempt && !(await isOnWhitelist()),
  });
}

function isCaptchaDue(settings: Settings, risk: Risk, budget: RequestBudget | undefined, at: number): boolean {
  const { captcha } = settings;
  switch (captcha.mode) {
    case 'disabled':
      return false;
    case 'always':
      return true;
    case 'risk_based':
      return risk.reasons.length > 0;
    case 'after_x_attempts':
      return budget !== undefined && Math.max(recentSends(budget, settings, at).length, budget.spent) >= captcha.after_attempts;
  }
}
