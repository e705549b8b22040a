import * as z from 'zod';
import { timestamp } from '../../../shared/contract/fields.ts';
import { roles, scopes } from '../../../shared/contract/route.ts';
import { settingsInput } from './company.ts';
import { planLimits } from './plan.ts';
import { receivers } from './receiver.ts';

/** Records as the API and the command line show them. */
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
  /** When the last valid former secret expires; null if there is none. */
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
  is_default: z.boolean(),
  has_app_secret: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type NumberRecord = z.output<typeof numberRecord>;

export const profileRecord = z
  .object({
    id: z.uuid().meta({ description: 'The id of the profile, a UUID.' }),
    name: z.string().meta({ description: 'The name of the profile.' }),
    status: z.enum(['active', 'inactive']).meta({ description: 'An inactive profile refuses every call of its keys.' }),
    is_default: z.boolean().meta({ description: 'Whether tokens without a profile_id use this profile.' }),
    settings_json: z.record(z.string(), z.unknown()).meta({ description: 'The settings, with their defaults.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'VerificationProfile' });
export type ProfileRecord = z.output<typeof profileRecord>;

export const keyRecord = z
  .object({
    id: z.uuid().meta({ description: 'The id of the key pair, a UUID.' }),
    profile_id: z.uuid().meta({ description: 'The profile that it belongs to.' }),
    name: z.string().meta({ description: 'The name of the key pair.' }),
    public_key: z.string().meta({ description: 'The public key, `pk_...`. Safe in an app or a web page.' }),
    secret_last4: z.string().meta({ description: 'The last four characters of the secret key.' }),
    mode: z
      .enum(['live', 'test'])
      .meta({ description: 'A `test` key verifies the phone +15550001111 with the code 123456 and sends nothing.' }),
    status: z.enum(['active', 'inactive']).meta({ description: 'An inactive key pair is refused.' }),
    created_at: timestamp,
    last_used_at: timestamp.nullable().meta({ description: 'When it was last used, to the minute; null if never.' }),
    previous_expires_at: timestamp
      .nullable()
      .meta({ description: 'Until when the secret key before the last rotation works too; null if there is none.' }),
  })
  .meta({ id: 'VerificationKey' });
export type KeyRecord = z.output<typeof keyRecord>;
