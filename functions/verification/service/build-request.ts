import { uuidV7 } from '../../../shared/runtime/ids.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { attemptLimits } from '../domain/attempt-limits.ts';
import { newCode } from '../domain/code.ts';
import type { PreviousRequest } from '../domain/decision.ts';
import { longerCodeLength } from '../domain/code-rate.ts';
import type { Identifier } from '../domain/identifier.ts';
import { prefixOf } from '../domain/prefix.ts';
import { joinRequest } from '../domain/requester.ts';
import { dayMs } from '../domain/request-budget.ts';
import type { Channel } from '../domain/settings.ts';
import type { Profile } from './profile.ts';
import { hashCode, randomBelow, sealValue } from './secrets.ts';

/** A verification request that the rules accepted, before it is stored. */
export interface VerificationRequest {
  readonly profile: Profile;
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
  /** Equal for every retry under one Idempotency-Key. */
  readonly operationId: string;
  /** Wrong codes are frequent at the profile. */
  readonly hasLongerCode?: boolean;
}

/** A new row with a code of its own: the code is stored as a keyed hash and, while it may have to be sent, sealed. */
export const buildRequest = async (request: VerificationRequest): Promise<StoredRequest> => {
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
    ...(codeLength === settings.otp.length ? {} : { codeLength }),
    ...(ip === undefined ? {} : { ip }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(country === undefined ? {} : { country }),
    ...(asn === undefined ? {} : { asn }),
    ...(risk === undefined ? {} : { risk: { score: risk.score, reasons: [...risk.reasons] } }),
    ...(identifier.kind === 'phone' && testCode === undefined ? { prefix: prefixOf(identifier.value) } : {}),
    sends: request.isSilent ? 0 : 1,
    claimedSend: 0,
    lastSendAt: request.isSilent ? 0 : at,
    createdAt: at,
    requestedAt: at,
    isDecidedByBudget: true,
    expiresAt: at + settings.otp.expiry_seconds * 1_000,
    // shown for a day, stored for the audit, and for as long as its trust key is valid
    until: Math.floor((at + Math.max(30, settings.trust.ttl_days) * dayMs) / 1_000),
  };
};

/**
 * The pending row with a later expiry, at most `max_lifetime_seconds` after its creation, and unless silent one more send. Of a call by
 * another requester it becomes shared.
 */
export const extendRequest = (
  request: VerificationRequest,
  pending: PreviousRequest,
): PreviousRequest & Pick<StoredRequest, 'requestedAt' | 'trustedSource'> => {
  const { profile, isSilent, at, operationId } = request;
  const { otp } = profile.settings;
  const latestExpiry = pending.createdAt + otp.max_lifetime_seconds * 1_000;
  const expiresAt = Math.max(pending.expiresAt, Math.min(at + otp.expiry_seconds * 1_000, latestExpiry));
  const trusted = request.hasLiveTrust ? { trustedSource: request.source } : {};
  const extended = { ...pending, ...joinRequest(pending, request), ...trusted, expiresAt, operationId, requestedAt: at };
  return isSilent ? extended : { ...extended, sends: pending.sends + 1, lastSendAt: at };
};
