import * as z from 'zod';
import { jsonBoolean, text, timestamp } from '../../../shared/contract/fields.ts';
import { type Method, route } from '../../../shared/contract/route.ts';
import { channel, requestStatuses, uuid } from './stored.ts';

const base = '/api/v1/verification';
const alias = '/v1/verification';
const at = <P extends string>(path: P) => ({
  path: `${base}${path}` as const,
  aliases: [`${alias}${path}` as const],
  problemFormat: 'verification' as const,
});

const requestId = z.uuid().meta({ description: 'The id of the verification request.' });
const givenRequestId = uuid.meta({ description: 'The id from the response of the request.' });
const expiresAt = timestamp.meta({ description: 'When the request expires.' });
const resendInSeconds = z.int().meta({ description: 'Seconds until a resend is allowed.' });
const codeLength = z.int().meta({ description: 'Characters of a code.' });
const codeType = z.enum(['numeric', 'alphanumeric']).meta({ description: 'Digits only, or capital letters and digits.' });

export const configBody = z
  .object({
    status: z
      .enum(['active', 'inactive'])
      .meta({ description: 'Whether the profile is active; an inactive one refuses every other call.' }),
    profile_id: z.uuid().meta({ description: 'The id of the profile.' }),
    profile_name: z.string().meta({ description: 'The name of the profile.' }),
    channels: z.array(channel).meta({ description: 'The channels that the profile allows.' }),
    default_channel: channel.meta({ description: 'The channel to offer first.' }),
    captcha: z
      .object({
        mode: z.string().meta({ description: 'When a CAPTCHA is required: always, risk_based or after_x_attempts.' }),
        provider: z.string().meta({ description: 'turnstile, hcaptcha or recaptcha.' }),
        site_key: z.string().nullable().meta({ description: 'The public key of the widget, or null.' }),
        action: z.string().nullable().meta({ description: 'The action to give the widget, or null.' }),
      })
      .nullable()
      .meta({ description: 'The widget to show; null where none is ever required.' }),
    otp: z
      .object({
        length: codeLength,
        type: codeType,
        expiry_minutes: z.number().meta({ description: 'How long a code is valid, minutes.' }),
        expiry_seconds: z.int().meta({ description: 'How long a code is valid, seconds.' }),
        resend_cooldown_seconds: z.int().meta({ description: 'Seconds before the first resend; later ones wait longer.' }),
        max_attempts: z.int().meta({ description: 'Wrong codes until the request fails.' }),
      })
      .meta({ description: 'The codes.' }),
    whatsapp: z
      .object({
        enabled: z.boolean().meta({ description: 'WhatsApp is allowed and a number is active.' }),
        one_click_enabled: z.boolean().meta({ description: 'Users can verify by sending a message.' }),
        bot_phone: z.string().nullable().meta({ description: 'The business number, digits; null without one.' }),
      })
      .meta({ description: 'WhatsApp of the profile.' }),
    polling: z
      .object({
        status_url_template: z.string().meta({ description: 'The status URL; replace `{request_id}`.' }),
        recommended_interval_ms: z.int().meta({ description: 'Milliseconds between two polls.' }),
        timeout_seconds: z.int().meta({ description: 'Seconds after which polling should end.' }),
      })
      .meta({ description: 'How to poll the status.' }),
    guess_bound: z
      .object({
        per_request: z.int().meta({ description: 'Attempts of a request.' }),
        per_day: z.int().meta({ description: 'Failed attempts of an identifier within 24 hours.' }),
      })
      .meta({ description: 'Limits of attempts.' }),
  })
  .meta({ id: 'VerificationConfig' });

const ipAddress = text(45, 1).pipe(z.union([z.ipv4(), z.ipv6()], { error: 'Must be an IP address.' }));

const requestInput = z.object({
  identifier: text(254, 1).meta({
    description: 'A phone number with country code or an email address; with `silent` also a provider user id.',
    example: '+4915112345678',
  }),
  profile_id: uuid.optional().meta({ description: 'The profile; default: the one of the key, else the default of the company.' }),
  channel: channel.optional().meta({ description: 'The channel of the code; default: the one that reaches the identifier.' }),
  purpose: text(50, 1)
    .regex(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u, { error: 'Must be printable.' })
    .optional()
    .meta({ description: 'What the verification is for, such as login or signup; default: default.' }),
  trust_key: text(512, 1).optional().meta({
    description:
      'A trust key of an earlier verification, or a label of your own such as a random device id, with a public key of at least 16 characters: when it is valid, no code is sent. A wrong label counts as a failed attempt.',
  }),
  ip_address: ipAddress
    .optional()
    .meta({ description: 'The address of the end user, from a trusted server; default: the address of the call.' }),
  user_agent: text(1_000)
    .optional()
    .meta({ description: 'The user agent of the end user, from a trusted server; default: the one of the call.' }),
  captcha_token: text(4_096).optional().meta({ description: 'The answer of the CAPTCHA widget, where the profile requires one.' }),
  silent: jsonBoolean.optional().meta({ description: 'Send no code: the user verifies by the one-click message.' }),
});
export type RequestInput = z.output<typeof requestInput>;

export const pendingBody = z
  .object({
    success: z.literal(true).meta({ description: 'Always true.' }),
    cached: z.literal(false).meta({ description: 'A code was needed.' }),
    reused: z.boolean().meta({ description: 'A pending request of the identifier was continued; its id and code stay.' }),
    request_id: requestId,
    status: z.literal('pending').meta({ description: 'The request waits for its code.' }),
    expires_at: expiresAt,
    otp_rules: z
      .object({
        length: codeLength,
        type: codeType,
        expiry_seconds: z.int().meta({ description: 'Seconds until the code expires.' }),
        resend_in_seconds: resendInSeconds,
      })
      .meta({ description: 'The code that was sent.' }),
    mobile_actions: z
      .object({
        one_click_whatsapp: z
          .object({
            enabled: z.boolean().meta({ description: 'Whether the links can be shown.' }),
            intent_url: z.string().nullable().meta({ description: 'Opens the app with the message; null when not enabled.' }),
            universal_url: z.string().nullable().meta({ description: 'The same on any device; null when not enabled.' }),
          })
          .meta({ description: 'Links by which the user verifies with a WhatsApp message.' }),
        polling_url: z.string().meta({ description: 'GET it for the status, with the same key.' }),
      })
      .meta({ description: 'What an app can offer besides the code.' }),
  })
  .meta({ id: 'VerificationRequest' });
export const trustedBody = z
  .object({
    success: z.literal(true).meta({ description: 'Always true.' }),
    cached: z.literal(true).meta({ description: 'No code was sent.' }),
    verified: z.literal(true).meta({ description: 'The identifier was verified before.' }),
    trust_key: z.string().meta({ description: 'The valid trust key.' }),
  })
  .meta({ id: 'VerificationTrusted' });

export const verifiedBody = z
  .object({
    verified: z.literal(true).meta({ description: 'The code is correct.' }),
    trust_key: z.string().nullable().meta({ description: 'Send it with a later request to skip the code.' }),
    request_id: requestId,
    identifier: z.string().meta({ description: 'The verified phone or email.' }),
    channel: channel.meta({ description: 'The channel of the request.' }),
    verified_at: timestamp.meta({ description: 'When the identifier was verified.' }),
  })
  .meta({ id: 'VerificationSuccess' });
export const failedAttemptBody = z
  .object({
    verified: z.literal(false).meta({ description: 'The code is wrong.' }),
    request_id: requestId,
    attempts_remaining: z.int().meta({ description: 'Attempts left before the request fails.' }),
  })
  .meta({ id: 'VerificationFailedAttempt' });

export const statusBody = z
  .object({
    request_id: requestId,
    status: z.enum([...requestStatuses, 'rate_limited']).meta({
      description: 'pending, verified, expired, failed (see reason), blocked (by a rule), or rate_limited (blocked for some time).',
    }),
    is_verified: z.boolean().meta({ description: 'Whether the identifier is verified.' }),
    purpose: z.string().meta({ description: 'What the verification is for, as requested; check it before you accept the verification.' }),
    expires_at: expiresAt,
    is_shared: z.boolean().optional().meta({
      description:
        'Whether more than one caller requested it (another label, address or kind of caller), so that the status does not tell which of them verified; for trusted callers only.',
    }),
    reason: z.string().optional().meta({ description: 'Why the request failed or was blocked.' }),
    metadata_json: z
      .object({
        ip: z.string().nullable().meta({ description: 'The address of the end user, or null.' }),
        user_agent: z.string().nullable().meta({ description: 'The user agent of the end user, or null.' }),
        country: z.string().nullable().meta({ description: 'The country of the phone, ISO 3166-1 alpha-2, or null.' }),
        asn: z
          .int()
          .nullable()
          .meta({ description: 'The autonomous system of the data centre that the call came from; null when it came from none.' }),
        risk: z
          .object({
            score: z.int().meta({ description: '0 to 100.' }),
            reasons: z.array(z.string()).meta({ description: 'Why the score is not 0.' }),
          })
          .meta({ description: 'The risk score of the request.' }),
      })
      .optional()
      .meta({ description: 'Where the request came from; for trusted callers only.' }),
    retry_after: z
      .int()
      .optional()
      .meta({ description: 'Seconds until another try makes sense; only of a blocked or rate limited request.' }),
    trust_key: z.string().optional().meta({
      description:
        'Shown for 15 minutes after the verification to trusted callers; with a public key only if that key alone requested it, once or from one place, and not for a magic link.',
    }),
    identifier: z
      .string()
      .optional()
      .meta({ description: 'The verified phone or email; only of a verified request, to whom `trust_key` would be shown.' }),
    channel: channel.optional().meta({ description: 'The channel of the request; only of a verified request.' }),
    verified_at: timestamp.optional().meta({ description: 'When the identifier was verified; only of a verified request.' }),
  })
  .meta({ id: 'VerificationStatus' });

export const resendBody = z
  .object({
    success: z.literal(true).meta({ description: 'Always true.' }),
    message: z.string().meta({ description: 'A text for display.' }),
    resend_in_seconds: resendInSeconds,
    sends_remaining: z.int().meta({ description: 'Resends left for this request.' }),
    expires_at: expiresAt,
  })
  .meta({ id: 'VerificationResend' });

/** Called with a key of the profile; a token would send messages in the company's name, so it needs a scope of its own (V4). */
const operation = <M extends Method, P extends string>(method: M, path: P, countedBy: string) => ({
  method,
  ...at(path),
  ownLimit: `30 a minute per key and ${countedBy}`,
  caller: { kind: 'public_key', scope: 'verification:request', role: 'member' } as const,
  limit: 'verification' as const,
  addressLimit: 'verification_ip' as const,
});

const byRequest = '`request_id` (of an id that is not known: per key and IP address)';

/** A link that is no link is answered with the page for invalid ones. */
const magicLink = {
  ...at('/magic/{request_id}/{token}'),
  caller: { kind: 'public' },
  limit: 'magic',
  params: z.object({ request_id: z.string(), token: z.string() }),
  answers: { 200: z.string(), 410: z.string() },
  contentTypes: ['text/html; charset=utf-8'],
  errors: [],
} as const;

/** Problems of the credential, the signature and the profile; of all five operations. */
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
  getVerificationConfig: route({
    ...operation('GET', '/config', 'IP address'),
    summary: 'Get verification configuration',
    description:
      'What a client needs to show the form: channels, code length, one-click number and polling. Rate limited like the other operations.',
    answers: { 200: configBody },
    errors: callerErrors,
  }),
  requestVerification: route({
    ...operation('POST', '/request', 'address of the end user (of a server that sends no `ip_address`: per key and identifier)'),
    summary: 'Request a verification: send an OTP code by WhatsApp or email',
    description:
      'Sends a one-time password (OTP) to a phone or email. A pending request of the same identifier and purpose is continued: same `request_id` and code, sent again once `resend_in_seconds` have passed. With a valid `trust_key` of an earlier verification no code is sent and the response says `cached: true`. Rate limits, fraud rules and CAPTCHA of the profile apply. Send an `Idempotency-Key`, so that a double click sends one message.',
    secret: true,
    sends: true,
    body: requestInput.meta({ id: 'RequestVerificationRequest' }),
    answers: { 200: z.union([pendingBody, trustedBody]) },
    refuses: ['combination', 'state'],
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
      'ceiling_reached',
      'velocity_limit',
      'too_many_attempts',
      'blocked',
    ],
  }),
  verifyCode: route({
    ...operation('POST', '/verify', byRequest),
    summary: 'Verify a code',
    description:
      'Compares the OTP code. A wrong code is 200 with `verified: false` and the attempts left; after the last one the request fails. Attempts are counted for each source (address) and for the identifier. The correct code returns the `trust_key`, and again the same response within a minute. On your server, send `X-Secret-Key` and check `identifier`.',
    secret: true,
    body: z
      .object({
        request_id: givenRequestId,
        code: text(20, 1).meta({ description: 'The code as typed; spaces and dashes are ignored.' }),
        ip_address: ipAddress.optional().meta({
          description:
            'The address of the end user, from a trusted server, so that attempts are counted for each user; default: one source for the server.',
        }),
      })
      .meta({ id: 'VerifyCodeRequest' }),
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
  getVerificationStatus: route({
    ...operation('GET', '/status/{request_id}', byRequest),
    summary: 'Get verification status',
    description:
      "Poll it while the user opens the magic link or sends the one-click message. `rate_limited` means that the identifier is blocked for some time. Callers with a secret key, a token or a signature also get `is_shared` and `metadata_json`. A public key is everybody's: with it, a request that someone else joined, that a server made, or that a magic link verified shows its status only.",
    params: z.object({ request_id: uuid }),
    answers: { 200: statusBody },
    errors: [...callerErrors, 'not_found', 'profile_inactive'],
  }),
  resendCode: route({
    ...operation('POST', '/resend', byRequest),
    summary: 'Resend a code',
    description:
      'Sends the same OTP code again. The expiry stays. Allowed after the cooldown (`resend_in_seconds`), which grows with each send, up to `max_sends` of the profile.',
    sends: true,
    body: z.object({ request_id: givenRequestId }).meta({ id: 'ResendCodeRequest' }),
    answers: {
      200: resendBody,
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
      'ceiling_reached',
      'too_many_attempts',
      'blocked',
    ],
  }),
  openMagicLink: route({
    method: 'GET',
    ...magicLink,
    summary: 'Open a magic link',
    description:
      'The page in the email. Opening it in a browser verifies the request; any other reader (a mail scanner, a link preview, a HEAD request) changes nothing and gets a page with a button, as everyone does where the profile has `confirm_page`. The page says what is allowed, and where it was requested.',
  }),
  confirmMagicLink: route({
    method: 'POST',
    ...magicLink,
    summary: 'Confirm a magic link',
    description: 'The button of the magic link page. Verifies the request.',
    effect: 'read',
  }),
};
