import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import type { ItemKind } from '../../../shared/events/react.ts';

export const channels = ['whatsapp', 'email'] as const;
export const channel = z.enum(channels, { error: 'Must be whatsapp or email.' });
export const uuid = text(36, 1)
  .pipe(z.uuid({ error: 'Must be a UUID.' }))
  .transform((value) => value.toLowerCase())
  .meta({ override: { type: 'string', format: 'uuid' } });

export const requestStatuses = ['pending', 'verified', 'expired', 'failed', 'blocked'] as const;

/** The rules of a profile that block a request. */
export const ruleCodes = ['disposable_email', 'domain_not_allowed', 'country_not_allowed', 'ip_not_allowed'] as const;
/** Why a request failed or was blocked: what the report counts it by. One that expired has no further reason. */
export const endReasons = ['attempts_exhausted', 'delivery_failed', ...ruleCodes] as const;
export type EndReason = (typeof endReasons)[number];

export const requestEntityName = 'verification-request';

/** The projection that counts the verified requests of a prefix. */
export const proofsEntityName = 'verification-proofs';
export interface ProofsRow {
  companyId: number;
  profileId: string;
  prefix: string;
  until: number;
}

/** The requests of a prefix within the hour and its block. The projection counts phone prefixes; countries are counted by the call. */
export const prefixEntityName = 'verification-prefix';
export interface PrefixRow {
  companyId: number;
  profileId: string;
  prefix: string;
  until: number;
}

/** The projection that counts attempts and verified codes of a profile. */
export const codeRateEntityName = 'verification-code-rate';
export interface CodeRateRow {
  companyId: number;
  profileId: string;
  until: number;
}

/** The request budget as reactions read it. */
export const requestBudgetEntityName = 'verification-request-budget';
export const storedSpent = z.looseObject({
  companyId: z.int(),
  profileId: z.string(),
  spent: z.int().default(0),
  last: z.record(z.string(), z.looseObject({ id: z.string(), channel: channel.optional() })).default({}),
});
export type StoredSpent = z.output<typeof storedSpent>;

export const ceilingEntityName = 'verification-ceiling';
/** Codes of a profile on a day; `h:<hour>` counts those of an hour, `k:<country>` those to a country with a ceiling of its own, `r:<country>` that it was reached. */
export const storedCeiling = z.looseObject({
  companyId: z.int(),
  profileId: z.string(),
  day: z.int(),
  codes: z.int().default(0),
  /** The hour, since 1970, in which a ceiling was reached last. */
  reachedHour: z.int().optional(),
  reached: z
    .object({ window: z.enum(['hour', 'day']), hour: z.int(), limit: z.int(), endsAt: z.int(), country: z.string().optional() })
    .optional(),
  until: z.int(),
});
export type StoredCeiling = z.output<typeof storedCeiling>;

/** A request as the table holds it; times are epoch milliseconds. */
export const storedRequest = z.object({
  companyId: z.int(),
  id: z.string(),
  profileId: z.string(),
  credentialId: z.int(),
  /** The latest call that added a send; a retry of it adds none. */
  operationId: z.string().optional(),
  /** Keyed hash of the identifier; finds its request budget. */
  identifierHash: z.string(),
  sealedIdentifier: z.string(),
  channel,
  purpose: z.string(),
  /** Keyed hash of the request's id and its code. */
  codeHash: z.string(),
  /** Needed to send the code; removed when the request is finished. */
  sealedCode: z.string().optional(),
  status: z.enum(requestStatuses),
  reason: z.string().optional(),
  maxAttempts: z.int(),
  /** Attempts a day of one source, copied from the profile, so that an attempt needs no read of the profile. */
  attemptBudget: z.int(),
  /** Attempts a day of all sources together: those that call with a public key, and all. Absent: the same. */
  publicBudget: z.int().optional(),
  totalBudget: z.int().optional(),
  /** The source that gave a live trust key while the identifier was blocked: it has the attempts that are left for such users. */
  trustedSource: z.string().optional(),
  /** The source of the attempt that verified or failed the request. */
  attemptSource: z.string().optional(),
  signatureRequired: z.boolean().optional(),
  /** Sends that were requested; the latest one that the worker claimed. */
  sends: z.int(),
  claimedSend: z.int().default(0),
  /** Claims and releases so far: each claim has a number of its own, and only that one is released. */
  claims: z.int().default(0),
  lastSendAt: z.int(),
  /** Keyed hash of the caller's own label, by which a later request is trusted. */
  label: z.string().optional(),
  /** Keyed hash of the first caller's traits. Another caller joined: the request is shared. */
  requester: z.string().optional(),
  isShared: z.literal(true).optional(),
  /** When it was requested last, by the call that created it or a later one. A resend is no request. */
  requestedAt: z.int().optional(),
  /** The request budget has the result first, and this row follows. Absent: of a version that wrote the result here alone. */
  isDecidedByBudget: z.literal(true).optional(),
  /** Requested by a server of the company. */
  isTrusted: z.literal(true).optional(),
  /** Of a sign-in: hash of the key of the browser that requested it, and whether its user was signed in there before. */
  browser: z.string().optional(),
  isKnownBrowser: z.literal(true).optional(),
  test: z.boolean().optional(),
  ip: z.string().optional(),
  userAgent: z.string().optional(),
  country: z.string().optional(),
  /** The autonomous system of the data centre that the call came from. */
  asn: z.int().optional(),
  risk: z.object({ score: z.int(), reasons: z.array(z.string()) }).optional(),
  /** The phone number without its last four digits, whose conversion this request counts for. */
  prefix: z.string().optional(),
  /** Of a blocked request: when the block ends. */
  blockedUntil: z.int().optional(),
  createdAt: z.int(),
  expiresAt: z.int(),
  endedAt: z.int().optional(),
  /** Characters of its code, where they are not those of the profile. */
  codeLength: z.int().optional(),
  /** Attempts that were reserved, set when the request is finished. */
  attempts: z.int().optional(),
  /** How the provider priced the message of a code that failed. */
  pricing: z.object({ category: z.string().optional(), type: z.string().optional() }).optional(),
  /** How the request was verified. */
  via: z.enum(['code', 'link', 'message']).optional(),
  /** Of a link: it was opened from the address and browser that requested it. */
  isOwnBrowser: z.literal(true).optional(),
  /** Epoch seconds. */
  until: z.int(),
});
export type StoredRequest = z.output<typeof storedRequest>;

/** For the reactions of all contexts. */
export const requestKind: ItemKind<StoredRequest> = { name: requestEntityName, parse: (raw) => storedRequest.parse(raw) };
