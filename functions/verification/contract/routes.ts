import * as z from 'zod';
import { jsonBoolean, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { channel, requestStatuses, uuid } from './stored.ts';

const base = '/api/v1/verification';
const alias = '/v1/verification';
const at = <P extends string>(path: P) => ({
  path: `${base}${path}` as const,
  aliases: [`${alias}${path}` as const],
  problemFormat: 'verification' as const,
});

export const configBody = z
  .object({
    status: z.enum(['active', 'inactive']),
    profile_id: z.uuid(),
    profile_name: z.string(),
    channels: z.array(channel),
    default_channel: channel,
    otp: z.object({
      length: z.int(),
      type: z.enum(['numeric', 'alphanumeric']),
      expiry_minutes: z.number(),
      expiry_seconds: z.int(),
      resend_cooldown_seconds: z.int(),
      max_attempts: z.int(),
    }),
    whatsapp: z.object({ enabled: z.boolean(), one_click_enabled: z.boolean(), bot_phone: z.string().nullable() }),
    polling: z.object({ status_url_template: z.string(), recommended_interval_ms: z.int(), timeout_seconds: z.int() }),
    guess_bound: z.object({ per_request: z.int(), per_day: z.int() }),
  })
  .meta({ id: 'VerificationConfig' });

const requestInput = z.object({
  identifier: text(254, 1).meta({
    description: 'A phone in E.164 form or an email address; with silent, also a user id of the provider',
    example: '+4915112345678',
  }),
  profile_id: uuid.optional(),
  channel: channel.optional(),
  purpose: text(50, 1)
    .regex(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u, { error: 'Must be printable.' })
    .optional(),
  trust_key: text(512, 1).optional(),
  ip_address: text(45, 1)
    .pipe(z.union([z.ipv4(), z.ipv6()], { error: 'Must be an IP address.' }))
    .optional(),
  user_agent: text(1_000).optional(),
  captcha_token: text(4_096).optional(),
  silent: jsonBoolean.optional(),
});
export type RequestInput = z.output<typeof requestInput>;

const pendingBody = z
  .object({
    success: z.literal(true),
    cached: z.literal(false),
    reused: z.boolean(),
    request_id: z.uuid(),
    status: z.literal('pending'),
    expires_at: timestamp,
    otp_rules: z.object({
      length: z.int(),
      type: z.enum(['numeric', 'alphanumeric']),
      expiry_seconds: z.int(),
      resend_in_seconds: z.int(),
    }),
    mobile_actions: z.object({
      one_click_whatsapp: z.object({ enabled: z.boolean(), intent_url: z.string().nullable(), universal_url: z.string().nullable() }),
      polling_url: z.string(),
    }),
  })
  .meta({ id: 'VerificationRequest' });
const trustedBody = z
  .object({ success: z.literal(true), cached: z.literal(true), verified: z.literal(true), trust_key: z.string() })
  .meta({ id: 'VerificationTrusted' });

const verifiedBody = z
  .object({
    verified: z.literal(true),
    trust_key: z.string().nullable(),
    request_id: z.uuid(),
    identifier: z.string(),
    channel,
    verified_at: timestamp,
  })
  .meta({ id: 'VerificationSuccess' });
const failedAttemptBody = z
  .object({ verified: z.literal(false), request_id: z.uuid(), attempts_remaining: z.int() })
  .meta({ id: 'VerificationFailedAttempt' });

const statusBody = z
  .object({
    request_id: z.uuid(),
    status: z.enum([...requestStatuses, 'rate_limited']),
    is_verified: z.boolean(),
    expires_at: timestamp,
    reason: z.string().optional(),
    /** For trusted callers alone (V27). */
    metadata_json: z
      .object({
        ip: z.string().nullable(),
        user_agent: z.string().nullable(),
        country: z.string().nullable(),
        asn: z.int().nullable().meta({ description: 'Where the call came from a data centre: of which network.' }),
        risk: z.object({ score: z.int(), reasons: z.array(z.string()) }),
      })
      .optional(),
    retry_after: z.int().optional(),
    trust_key: z.string().optional(),
    identifier: z.string().optional(),
    channel: channel.optional(),
    verified_at: timestamp.optional(),
  })
  .meta({ id: 'VerificationStatus' });

/** What the credential, the signature and the profile may be refused with, on all five. */
const callerErrors = [
  'public_key_missing',
  'public_key_invalid',
  'signature_required',
  'signature_timestamp_required',
  'timestamp_out_of_range',
  'invalid_signature',
  'profile_not_found',
  'profile_mismatch',
] as const;

export const verificationRoutes = {
  verificationConfig: route({
    method: 'GET',
    ...at('/config'),
    summary: 'What a profile allows, for clients that show the form',
    caller: { kind: 'public_key' },
    limit: 'verification',
    addressLimit: 'verification_ip',
    effect: 'read',
    answers: { 200: configBody },
    errors: callerErrors,
  }),
  requestVerification: route({
    method: 'POST',
    ...at('/request'),
    summary: 'Ask for a verification: a code goes out',
    caller: { kind: 'public_key' },
    limit: 'verification',
    addressLimit: 'verification_ip',
    effect: 'write',
    secret: true,
    body: requestInput,
    answers: { 200: z.union([pendingBody, trustedBody]) },
    errors: [
      ...callerErrors,
      'validation_failed',
      'profile_inactive',
      'captcha_required',
      'captcha_failed',
      'country_not_allowed',
      'ip_not_allowed',
      'domain_not_allowed',
      'disposable_email',
      'fraud_blocked',
      'otp_bombing',
      'velocity_limit',
      'too_many_attempts',
      'too_many_sends',
      'blocked',
    ],
  }),
  verifyCode: route({
    method: 'POST',
    ...at('/verify'),
    summary: 'Check a code',
    caller: { kind: 'public_key' },
    limit: 'verification',
    addressLimit: 'verification_ip',
    effect: 'write',
    secret: true,
    body: z.object({ request_id: uuid, code: text(20, 1) }),
    answers: { 200: z.union([verifiedBody, failedAttemptBody]) },
    errors: [
      ...callerErrors,
      'profile_inactive',
      'not_found',
      'expired',
      'too_many_attempts',
      'delivery_failed',
      'blocked',
      'already_verified',
    ],
  }),
  verificationStatus: route({
    method: 'GET',
    ...at('/status/{request_id}'),
    summary: 'How a verification stands',
    caller: { kind: 'public_key' },
    limit: 'verification',
    addressLimit: 'verification_ip',
    effect: 'read',
    params: z.object({ request_id: uuid }),
    answers: { 200: statusBody },
    errors: [...callerErrors, 'not_found', 'profile_inactive'],
  }),
  resendCode: route({
    method: 'POST',
    ...at('/resend'),
    summary: 'Send the same code again',
    caller: { kind: 'public_key' },
    limit: 'verification',
    addressLimit: 'verification_ip',
    effect: 'write',
    body: z.object({ request_id: uuid }),
    answers: {
      200: z.object({
        success: z.literal(true),
        message: z.string(),
        resend_in_seconds: z.int(),
        sends_remaining: z.int(),
        expires_at: timestamp,
      }),
    },
    errors: [
      ...callerErrors,
      'profile_inactive',
      'not_found',
      'expired',
      'resend_failed',
      'already_verified',
      'resend_cooldown',
      'too_many_sends',
      'otp_bombing',
      'too_many_attempts',
      'blocked',
    ],
  }),
  openMagicLink: route({
    method: 'GET',
    ...at('/magic/{request_id}/{token}'),
    summary: 'The page of a magic link',
    caller: { kind: 'nobody' },
    limit: 'magic',
    effect: 'read',
    params: z.object({ request_id: z.string(), token: z.string() }),
    answers: { 200: z.string(), 410: z.string() },
    contentTypes: ['text/html; charset=utf-8'],
    errors: [],
  }),
  confirmMagicLink: route({
    method: 'POST',
    ...at('/magic/{request_id}/{token}'),
    summary: 'The button of the magic link page, where a profile asks for one',
    caller: { kind: 'nobody' },
    limit: 'magic',
    effect: 'read',
    params: z.object({ request_id: z.string(), token: z.string() }),
    answers: { 200: z.string(), 410: z.string() },
    contentTypes: ['text/html; charset=utf-8'],
    errors: [],
  }),
};
