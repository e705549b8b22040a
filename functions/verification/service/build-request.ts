import { randomUUID } from 'node:crypto';
import type { StoredRequest } from '../contract/stored.ts';
import { newCode } from '../domain/code.ts';
import { dayMs } from '../domain/request-budget.ts';
import { prefixOf } from '../domain/prefix.ts';
import { hashCode, randomBelow, sealValue } from './secrets.ts';
import type { VerificationRequest } from './create-or-reuse-request.ts';

/** A request as it begins: a code of its own, kept as a keyed hash and, while it may have to be sent, sealed. */
export const buildRequest = async (wish: VerificationRequest): Promise<StoredRequest> => {
  const { profile, identifier, at } = wish;
  const { settings } = profile;
  const id = randomUUID();
  const code = wish.testCode ?? newCode(settings.otp, randomBelow);
  const [hash, sealedCode, sealedIdentifier] = await Promise.all([
    hashCode(id, code),
    sealValue(id, 'code', code),
    sealValue(id, 'identifier', identifier.value),
  ]);
  return {
    companyId: profile.companyId,
    id,
    profileId: profile.id,
    credentialId: wish.credentialId,
    operationId: wish.operationId,
    person: wish.person,
    sealedIdentifier,
    sealedCode,
    codeHash: hash,
    channel: wish.channel,
    purpose: wish.purpose,
    status: 'pending',
    maxAttempts: settings.otp.max_attempts,
    guessBudget: settings.guess_budget_per_day,
    ...(settings.require_signature ? { mustSign: true } : {}),
    ...(wish.testCode === undefined ? {} : { test: true }),
    ...(wish.label === undefined ? {} : { label: wish.label }),
    ...(wish.network === undefined ? {} : { ip: wish.network }),
    ...(wish.userAgent === undefined ? {} : { userAgent: wish.userAgent }),
    ...(wish.country === undefined ? {} : { country: wish.country }),
    ...(wish.asn === undefined ? {} : { asn: wish.asn }),
    ...(wish.risk === undefined ? {} : { risk: wish.risk }),
    ...(identifier.kind === 'phone' && wish.testCode === undefined ? { prefix: prefixOf(identifier.value) } : {}),
    sends: wish.silent ? 0 : 1,
    claimedSend: 0,
    lastSendAt: wish.silent ? 0 : at,
    createdAt: at,
    expiresAt: at + settings.otp.expiry_seconds * 1_000,
    // shown for a day, kept for the audit, and as long as its trust may be asked for (V19, V20)
    until: Math.floor((at + Math.max(30, settings.trust.ttl_days) * dayMs) / 1_000),
  };
};

/** The same request and code, a longer life (V11), within the longest. */
export const extendRequest = ({ profile, silent, at, operationId }: VerificationRequest, before: StoredRequest): StoredRequest => {
  const { otp } = profile.settings;
  const longest = before.createdAt + otp.max_lifetime_seconds * 1_000;
  const expiresAt = Math.max(before.expiresAt, Math.min(at + otp.expiry_seconds * 1_000, longest));
  return silent ? { ...before, expiresAt, operationId } : { ...before, expiresAt, operationId, sends: before.sends + 1, lastSendAt: at };
};
