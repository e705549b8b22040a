import * as z from 'zod';
import { success } from '../../shared/contract/envelope.ts';
import { email, id, text, timestamp } from '../../shared/contract/fields.ts';
import { roles, route, scopes } from '../../shared/contract/route.ts';

/** What a webhook token can be for. `custom` is missing on purpose: the ERP token is its token (2§5). */
export const receivers = ['messaging', 'storeplatform', 'webshop', 'logistics', 'checkout', 'test'] as const;
export type Receiver = (typeof receivers)[number];

/** An IANA time zone, as this runtime knows it. */
export const timezone = text(64, 1).refine(isTimezone, { error: 'Must be an IANA time zone, such as Europe/Berlin.' });

const limit = z.int({ error: 'Must be a whole number.' }).min(0, { error: 'Must not be negative.' }).nullable();

/** Null: no limit (G24). */
export const planLimits = z.object({ contacts: limit, users: limit, numbers: limit, pipelines: limit });
export type PlanLimits = z.output<typeof planLimits>;

export const planInput = z.object({ name: text(50, 1), limits: planLimits });

export const settingsInput = z
  .object({
    /** A26: who judges a closed window; the provider, or we before it. */
    window_policy: z.enum(['provider', 'enforce'], { error: 'Must be provider or enforce.' }),
    /** A7: whether an unknown custom field is an error. */
    strict_fields: z.boolean({ error: 'Must be true or false.' }),
    /** A67: minutes before a task's due time at which its assignee is reminded. */
    task_reminder_minutes: z
      .int({ error: 'Must be a whole number.' })
      .min(0, { error: 'Must be 0 to 1440.' })
      .max(1_440, { error: 'Must be 0 to 1440.' }),
  })
  .partial();

export const companyInput = z.object({
  name: text(100, 1),
  timezone: timezone.optional(),
  plan: planInput.optional(),
  settings: settingsInput.optional(),
});
export type CompanyInput = z.input<typeof companyInput>;
export const companyChanges = companyInput.partial();
export type CompanyChanges = z.input<typeof companyChanges>;

const role = z.enum(roles, { error: `Must be one of ${roles.join(', ')}.` });

export const userInput = z.object({ name: text(100, 1), email: email.transform((value) => value.toLowerCase()), role });
export type UserInput = z.input<typeof userInput>;

/** Days a token lives; null: for ever (G15). */
const lifeDays = z
  .int({ error: 'Must be a whole number of days.' })
  .min(1, { error: 'Must be at least 1 day.' })
  .max(365, { error: 'Must be at most 365 days.' })
  .nullable();

/** Hours the old secret lives on after a rotation (G15). */
export const overlapHours = z
  .int({ error: 'Must be a whole number of hours.' })
  .min(0, { error: 'Must not be negative.' })
  .max(168, { error: 'Must be at most 168 hours.' });

const label = text(100);

export const tokenInput = z.object({
  user_id: id,
  name: label.optional(),
  life_days: lifeDays.optional(),
  /** All that the user's role has, when left out (G16). */
  scopes: z.array(z.enum(scopes, { error: `Must be one of ${scopes.join(', ')}.` })).optional(),
});
export type TokenInput = z.input<typeof tokenInput>;

const sharedSecret = text(255, 8);

export const erpTokenInput = z.object({ name: label.optional(), shared_secret: sharedSecret.optional() });
export type ErpTokenInput = z.input<typeof erpTokenInput>;

export const webhookTokenInput = erpTokenInput.extend({
  receiver: z.enum(receivers, { error: `Must be one of ${receivers.join(', ')}.` }),
});
export type WebhookTokenInput = z.input<typeof webhookTokenInput>;

/** Digits with country code (A2); the operator copies what the provider shows, signs and blanks included. */
const displayPhone = text(40, 1)
  .transform((value) => value.replaceAll(/[^0-9]/g, ''))
  .refine((value) => /^[0-9]{8,15}$/.test(value), { error: 'Must have 8 to 15 digits, with the country code.' });
const providerId = text(40, 1).regex(/^[0-9]+$/, { error: 'Must be the digits of the provider id.' });
const providerSecret = text(2_000, 1);

export const numberInput = z.object({
  phone: displayPhone,
  phone_number_id: providerId,
  waba_id: providerId,
  access_token: providerSecret,
  app_secret: providerSecret.optional(),
  /** Made when left out; shown once either way. */
  verify_token: text(255, 8).optional(),
  /** G27. */
  version: text(8)
    .regex(/^v[0-9]{1,3}\.[0-9]{1,2}$/, { error: 'Must look like v19.0.' })
    .optional(),
  /** The provider's root for this number alone; the deployment's own when left out. */
  base_url: z.url({ protocol: /^https?$/, error: 'Must be an http(s) address.' }).optional(),
  /** Messages a second. */
  rate: z
    .int({ error: 'Must be a whole number.' })
    .min(1, { error: 'Must be at least 1.' })
    .max(1_000, { error: 'Must be at most 1,000.' })
    .optional(),
});
export type NumberInput = z.input<typeof numberInput>;

export const numberChanges = numberInput
  .pick({ phone: true, waba_id: true, version: true, rate: true })
  .extend({
    base_url: numberInput.shape.base_url.unwrap().nullable(),
    status: z.enum(['active', 'inactive'], { error: 'Must be active or inactive.' }),
    quality: text(20, 1),
  })
  .partial();
export type NumberChanges = z.input<typeof numberChanges>;

/** Null takes the app secret away: webhooks are then accepted on their token alone (A50). */
export const numberSecrets = z
  .object({ access_token: providerSecret, app_secret: providerSecret.nullable(), verify_token: text(255, 8) })
  .partial();
export type NumberSecrets = z.input<typeof numberSecrets>;

/** Settings are merged key by key; their meaning and defaults are the verification context's (V1). */
export const profileInput = z.object({ name: text(100, 1), settings_json: z.record(z.string(), z.unknown()).optional() });
export type ProfileInput = z.input<typeof profileInput>;

// Records as they are shown.

export const companyRecord = z.object({
  id: z.int(),
  name: z.string(),
  timezone: z.string(),
  status: z.enum(['active', 'suspended']),
  plan: z.object({ name: z.string(), limits: planLimits }),
  settings: settingsInput.required(),
  users_count: z.int(),
  numbers_count: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type CompanyRecord = z.output<typeof companyRecord>;

export const userRecord = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  role: z.enum(roles),
  status: z.enum(['active', 'inactive']),
  created_at: timestamp,
  updated_at: timestamp,
});
export type UserRecord = z.output<typeof userRecord>;

/** A credential without its secret. */
export const credentialRecord = z.object({
  id: z.int(),
  kind: z.enum(['token', 'erp_token', 'webhook_token']),
  name: z.string(),
  last4: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
  user_id: z.int().nullable(),
  scopes: z.array(z.enum(scopes)),
  receiver: z.enum(receivers).nullable(),
  has_shared_secret: z.boolean(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  /** To the minute. */
  last_used_at: timestamp.nullable(),
  /** When the secret before the last rotation dies; null when there is none left. */
  previous_expires_at: timestamp.nullable(),
});
export type CredentialRecord = z.output<typeof credentialRecord>;

export const numberRecord = z.object({
  id: z.int(),
  phone: z.string(),
  phone_number_id: z.string(),
  waba_id: z.string(),
  status: z.enum(['active', 'inactive']),
  version: z.string(),
  base_url: z.string().nullable(),
  rate: z.int(),
  quality: z.string(),
  has_app_secret: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type NumberRecord = z.output<typeof numberRecord>;

export const profileRecord = z.object({
  id: z.uuid(),
  name: z.string(),
  status: z.enum(['active', 'inactive']),
  is_default: z.boolean(),
  settings_json: z.record(z.string(), z.unknown()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type ProfileRecord = z.output<typeof profileRecord>;

export const keyRecord = z.object({
  id: z.uuid(),
  profile_id: z.uuid(),
  name: z.string(),
  public_key: z.string(),
  secret_last4: z.string(),
  mode: z.enum(['live', 'test']),
  status: z.enum(['active', 'inactive']),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  previous_expires_at: timestamp.nullable(),
});
export type KeyRecord = z.output<typeof keyRecord>;

export const profile = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  company_name: z.string(),
  company_id: z.int(),
  role: z.enum(roles),
  scopes: z.array(z.enum(scopes)),
  timezone: z.string(),
  plan: z.object({
    name: z.string(),
    limits: planLimits,
    usage: z.object({ contacts: z.int(), users: z.int(), numbers: z.int() }),
  }),
  numbers: z.array(z.object({ id: z.int(), phone: z.string(), status: z.enum(['active', 'inactive']) })),
});
export type Profile = z.output<typeof profile>;

export const routes = {
  getMe: route({
    method: 'GET',
    path: '/api/v1/me',
    summary: 'The profile and company behind the token',
    caller: { kind: 'token', scope: 'profile:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    answers: { 200: success(profile) },
    errors: [],
  }),
};

function isTimezone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
