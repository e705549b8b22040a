import { dayMs } from '../../../shared/runtime/clock.ts';
import { sha256, uuidV7 } from '../../../shared/runtime/ids.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { attemptLimits } from '../domain/attempt-limits.ts';
import { newCode } from '../domain/code.ts';
import type { PreviousRequest, SendDecision } from '../domain/decision.ts';
import { longerCodeLength } from '../domain/code-rate.ts';
import type { Identifier } from '../domain/identifier.ts';
import { prefixOf } from '../domain/prefix.ts';
import { joinRequest } from '../domain/requester.ts';
import type { Channel, Settings } from '../domain/settings.ts';
import type { CompleteProfile } from './profile.ts';
import { hashCode, randomBelow, sealValue } from './secrets.ts';

/** The browser to which a request of sign-in belongs: what other browsers request, try and have sent leaves it as it is. */
export interface BrowserScope {
  key: string;
  /** The user was signed in there before: no limit that strangers reach holds for it. */
  isKnown: boolean;
}

/** A verification request that the rules accepted, before it is stored. */
export interface VerificationRequest {
  readonly profile: CompleteProfile;
  readonly identifier: Identifier;
  readonly identifierHash: string;
  readonly channel: Channel;
  readonly purpose: string;
  readonly label: string | undefined;
  /** Keyed hash of the caller's traits. */
  readonly requester: string;
  readonly isTrusted: boolean;
  /** What its attempts are counted by. */
  readonly source: string;
  /** A valid trust key was given, which a block keeps from being an answer. */
  readonly hasLiveTrust: boolean;
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
  readonly country: string | undefined;
  readonly asn: number | undefined;
  readonly risk: { readonly score: number; readonly reasons: readonly string[] } | undefined;
  readonly at: number;
  readonly isSilent: boolean;
  readonly testCode: string | undefined;
  readonly credentialId: number;
  /** Of a sign-in: the browser that requests it. */
  readonly browser?: BrowserScope | undefined;
  /** Equal for every retry under one Idempotency-Key. */
  readonly operationId: string;
  /** Wrong codes are frequent at the profile, or browsers that no one knows have many tries between them. */
  readonly hasLongerCode?: boolean;
}

/** A new row with a code of its own: the code is stored as a keyed hash and, while it may have to be sent, sealed. */
export const buildRequest = async (request: VerificationRequest, openUntil: number = 0): Promise<StoredRequest> => {
  const { profile, identifier, at, label, requester, ip, userAgent, country, asn, risk, testCode } = request;
  const { settings } = profile;
  const limits = attemptLimits(settings);
  const id = uuidV7(at);
  const codeLength = request.hasLongerCode ? longerCodeLength(settings.otp.length) : settings.otp.length;
  const code = testCode ?? newCode({ ...settings.otp, length: codeLength }, randomBelow);
  const [codeHash, sealedCode, sealedIdentifier] = await Promise.all([
    hashCode(id, code),
    sealValue(id, 'code', code),
    sealValue(id, 'identifier', identifier.value),
  ]);
  return {
    companyId: profile.companyId,
    id,
    profileId: profile.id,
    credentialId: request.credentialId,
    operationId: request.operationId,
    identifierHash: request.identifierHash,
    sealedIdentifier,
    sealedCode,
    codeHash,
    channel: request.channel,
    purpose: request.purpose,
    status: 'pending',
    maxAttempts: settings.otp.max_attempts,
    attemptBudget: limits.source,
    publicBudget: limits.public,
    totalBudget: limits.total,
    ...(request.hasLiveTrust ? { trustedSource: request.source } : {}),
    ...(settings.require_signature ? { signatureRequired: true } : {}),
    ...(testCode === undefined ? {} : { test: true }),
    ...(label === undefined ? {} : { label }),
    requester,
    ...(request.isTrusted ? { isTrusted: true } : {}),
    ...(request.browser ? { browser: sha256(request.browser.key), ...(request.browser.isKnown ? { isKnownBrowser: true } : {}) } : {}),
    ...(codeLength === settings.otp.length ? {} : { codeLength }),
    ...(ip === undefined ? {} : { ip }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(country === undefined ? {} : { country }),
    ...(asn === undefined ? {} : { asn }),
    ...(risk === undefined ? {} : { risk: { score: risk.score, reasons: [...risk.reasons] } }),
    ...(identifier.kind === 'phone' && testCode === undefined ? { prefix: prefixOf(identifier.value) } : {}),
    sends: request.isSilent ? 0 : 1,
    claimedSend: 0,
    claims: 0,
    lastSendAt: request.isSilent ? 0 : at,
    createdAt: at,
    requestedAt: at,
    isDecidedByBudget: true,
    expiresAt: expiryOf(settings, { createdAt: at, openUntil, at }),
    // shown for a day, stored for the audit, and for as long as its trust key is valid
    until: Math.floor((at + Math.max(30, settings.trust.ttl_days) * dayMs) / 1_000),
  };
};

/** The expiry of the settings; later where no other code can be sent before, at most `max_lifetime_seconds` after the request began. */
const expiryOf = ({ otp }: Settings, { createdAt, openUntil, at }: { createdAt: number; openUntil: number; at: number }): number =>
  Math.max(at + otp.expiry_seconds * 1_000, Math.min(openUntil, createdAt + otp.max_lifetime_seconds * 1_000));

/**
 * The pending row with a later expiry, at most `max_lifetime_seconds` after its creation, and with one more send where a message leaves. Of a
 * call by another requester it becomes shared.
 */
export const extendRequest = (
  request: VerificationRequest,
  pending: PreviousRequest,
  { isSent, openUntil }: SendDecision,
): PreviousRequest & Pick<StoredRequest, 'requestedAt' | 'trustedSource'> => {
  const { profile, at, operationId } = request;
  const latestExpiry = pending.createdAt + profile.settings.otp.max_lifetime_seconds * 1_000;
  const extendedTo = expiryOf(profile.settings, { createdAt: pending.createdAt, openUntil, at });
  const expiresAt = Math.max(pending.expiresAt, Math.min(extendedTo, latestExpiry));
  const trusted = request.hasLiveTrust ? { trustedSource: request.source } : {};
  const extended = { ...pending, ...joinRequest(pending, request), ...trusted, expiresAt, operationId, requestedAt: at };
  return !isSent ? extended : { ...extended, sends: pending.sends + 1, lastSendAt: at };
};
