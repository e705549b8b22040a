import * as z from 'zod';
import { timestamp } from '../../../shared/contract/fields.ts';
import { roles, scopes } from '../../../shared/contract/route.ts';
import { numberStateFields } from './number-view.ts';
import { settingsInput } from './company.ts';
import { planLimits } from './plan.ts';
import { receivers } from './receiver.ts';

/** Records as the API and the command line show them. */
export const companyRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the company.' }),
    name: z.string().meta({ description: 'The name of the company.' }),
    timezone: z.string().meta({ description: 'IANA time zone of the company.' }),
    status: z.enum(['active', 'suspended']).meta({ description: 'While suspended, every call is refused and nothing is sent.' }),
    plan: z
      .object({
        name: z.string().meta({ description: 'Name of the plan.' }),
        limits: planLimits.meta({ description: 'Its limits; null: no limit.' }),
      })
      .meta({ description: 'The plan, which the operator sets.' }),
    settings: settingsInput.required().meta({ description: 'The settings of the company.' }),
    users_count: z.int().meta({ description: 'Active users.' }),
    numbers_count: z.int().meta({ description: 'Active business numbers.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Company', description: 'A company with its plan and settings.' });
export type CompanyRecord = z.output<typeof companyRecord>;

export const userRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the user, as `assigned_to` and `owner_id` take it.' }),
    name: z.string().meta({ description: 'The name of the user.' }),
    email: z.string().meta({ description: 'Unique among the active users of the company.' }),
    role: z.enum(roles).meta({ description: 'viewer, member, admin or owner; each may do what the ones before may.' }),
    status: z.enum(['active', 'inactive']).meta({ description: 'An inactive user has no valid token.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'User', description: 'A user of the company.' });
export type UserRecord = z.output<typeof userRecord>;

export const tokenScope = z.enum(scopes, { error: `Must be one of ${scopes.join(', ')}.` }).meta({ id: 'Scope' });

const credentialFields = z.object({
  id: z.int().meta({ description: 'The id of the token.' }),
  kind: z.enum(['token', 'erp_token', 'webhook_token']).meta({ description: 'token: a personal one.' }),
  name: z.string().meta({ description: 'What it is for.' }),
  last4: z.string().meta({ description: 'The last four characters of the secret.' }),
  status: z.enum(['active', 'expired', 'revoked']).meta({ description: 'Only an active one is accepted.' }),
  user_id: z.int().nullable().meta({ description: 'The user of a personal token.' }),
  scopes: z.array(tokenScope).meta({ description: 'What it may do.' }),
  networks: z.array(z.string()).nullable().meta({ description: 'Addresses and networks that may use it; null: all.' }),
  receiver: z.enum(receivers).nullable().meta({ description: 'What a webhook token receives.' }),
  has_shared_secret: z.boolean().meta({ description: 'Whether posts to it must be signed.' }),
  created_at: timestamp,
  expires_at: timestamp.nullable().meta({ description: 'null: never.' }),
  last_used_at: timestamp.nullable().meta({ description: 'To the minute; null: never.' }),
  previous_expires_at: timestamp.nullable().meta({ description: 'When the last valid former secret expires; null: there is none.' }),
});
/** A credential without its secret. */
export const credentialRecord = credentialFields.meta({ id: 'Token', description: 'A token without its secret.' });
export const createdToken = credentialFields
  .extend({ secret: z.string().meta({ description: 'The token itself. Shown once.' }) })
  .meta({ id: 'TokenWithSecret', description: 'A token with its secret, which is shown once.' });
export const createdMachineToken = credentialFields
  .extend({
    secret: z.string().meta({ description: 'The token itself. Shown once.' }),
    url: z.string().meta({ description: 'The whole address that the sender posts to; the token is part of it. Shown once.' }),
    shared_secret: z
      .string()
      .nullable()
      .meta({ description: 'The generated secret with which the sender signs; null: none was generated. Shown once.' }),
  })
  .meta({ id: 'MachineTokenWithSecret', description: 'A machine token with its address and secrets, which are shown once.' });
export type CredentialRecord = z.output<typeof credentialRecord>;

const numberFields = z.object({
  id: z.int().meta({ description: 'The id of the number, as `number_id` takes it.' }),
  phone: z.string().meta({ description: 'Digits with country code, no plus.' }),
  phone_number_id: z.string().meta({ description: 'Its id at the provider.' }),
  waba_id: z.string().meta({ description: 'The id of its business account at the provider.' }),
  status: z.enum(['active', 'inactive']).meta({ description: 'Whether messages are sent from it.' }),
  version: z.string().meta({ description: "Version of the provider's API." }),
  base_url: z.string().nullable().meta({ description: "Where the provider is; null: the deployment's." }),
  app_id: z.string().nullable().meta({
    description: 'The app of the provider that it names; null: one that is not among the apps here.',
  }),
  rate: z.int().meta({ description: 'Messages a second.' }),
  ...numberStateFields,
  checked_at: timestamp.nullable().meta({ description: 'When the number was last read from the provider, once a day; null: not yet.' }),
  is_default: z.boolean().meta({ description: 'Whether it was made the number of sends that name none.' }),
  has_app_secret: z.boolean().meta({ description: 'Whether its webhooks must be signed.' }),
  created_at: timestamp,
  updated_at: timestamp,
});
export const numberRecord = numberFields.meta({ id: 'Number', description: 'A business number without its secrets.' });
export const addedNumber = numberFields
  .extend({ verify_token: z.string().meta({ description: 'What the provider shows in a handshake. Shown once.' }) })
  .meta({ id: 'NumberWithVerifyToken', description: 'A new number with its verify token, which is shown once.' });
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
