import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { keyRecord, profileRecord } from '../../account/contract/record.ts';
import { overlapHours } from '../../account/contract/token.ts';
import { whitelistKinds } from '../domain/eligibility-rules.ts';
import { settingsInput } from '../domain/settings-input.ts';
import { channel, uuid } from './stored.ts';

/** What the company sets and sees of its verification (decision V3), beyond the specification. */
const at = <P extends string>(path: P) => ({ path: `/api/v1/verification/admin${path}` as const });
const caller = { kind: 'token', scope: 'verification:manage', role: 'admin' } as const;
const common = { caller, problemFormat: 'verification' } as const;
const reading = { ...common, method: 'GET', limit: 'read', effect: 'read' } as const;
const writing = { ...common, method: 'POST', limit: 'write', effect: 'write' } as const;
const replacing = { ...common, method: 'PUT', limit: 'write', effect: 'write' } as const;
const deleting = { ...common, method: 'DELETE', limit: 'write', effect: 'write' } as const;

const pathUuid = z.uuid().transform((value) => value.toLowerCase());
const ofProfile = z.object({ profile_id: pathUuid });
const byId = z.object({ id: pathUuid });
const removed = success(z.object({ id: z.string(), deleted: z.literal(true) }));

const profileStatus = z.enum(['active', 'inactive'], { error: 'Must be active or inactive.' });
const settings = settingsInput.meta({ description: 'Settings of V1; merged key by key, null takes one away' });
const createProfileInput = z.object({ name: text(100, 1), settings_json: settings.optional() });
const updateProfileInput = createProfileInput.extend({ status: profileStatus }).partial();
export type ProfileChanges = z.output<typeof updateProfileInput>;

const issuedKey = success(keyRecord.extend({ secret_key: z.string() }));

export const templateInput = z.object({
  profile_id: uuid,
  channel,
  purpose: text(50, 1).optional(),
  language: text(20, 2).optional(),
  /** An approved authentication template of the provider, with a copy-code button. */
  provider_template: text(512, 1)
    .regex(/^[a-z0-9_]+$/, { error: 'Must be the name of a template.' })
    .optional(),
  subject: text(200, 1).optional(),
  body: text(10_000, 1).optional(),
});
export type TemplateInput = z.output<typeof templateInput>;
const templateChanges = templateInput.omit({ profile_id: true, channel: true, purpose: true });
export type TemplateChanges = z.output<typeof templateChanges>;
export const templateRecord = z
  .object({
    id: z.uuid(),
    profile_id: z.uuid(),
    channel,
    purpose: z.string(),
    language: z.string(),
    provider_template: z.string().nullable(),
    subject: z.string().nullable(),
    body: z.string().nullable(),
    /** Of a create or change: what of the provider's template does not go well with the profile. */
    warning: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'VerificationTemplate' });
export type TemplateRecord = z.output<typeof templateRecord>;

const whitelistInput = z.object({
  profile_id: uuid,
  kind: z.enum(whitelistKinds, { error: `Must be one of ${whitelistKinds.join(', ')}.` }),
  value: text(254, 1),
  expires_at: z.iso.datetime({ offset: true, error: 'Must be an ISO 8601 time.' }).nullish(),
});
export type WhitelistInput = z.output<typeof whitelistInput>;
export const whitelistRecord = z
  .object({
    id: z.uuid(),
    profile_id: z.uuid(),
    kind: z.enum(whitelistKinds),
    value: z.string(),
    expires_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'AllowlistEntry' });
export type WhitelistRecord = z.output<typeof whitelistRecord>;

export const blockRecord = z
  .object({
    id: z.string(),
    profile_id: z.uuid(),
    kind: z.enum(['identifier', 'ip', 'prefix']),
    /** An address or prefix; of an identifier its ends alone. */
    subject: z.string(),
    reason: z.string(),
    blocked_at: timestamp,
    blocked_until: timestamp,
  })
  .meta({ id: 'VerificationBlock' });
export type BlockRecord = z.output<typeof blockRecord>;
const blocksAnswer = success(z.array(blockRecord)).extend({ meta: z.object({ next_cursor: z.string().nullable() }) });

const filter = z.object({ profile_id: uuid.optional() });

/** Said by the services that make sure of their input themselves; where there is a body, every route has it anyway. */
const invalidInput = 'validation_failed' as const;

export const adminRoutes = {
  listVerificationProfiles: route({
    ...reading,
    ...at('/profiles'),
    summary: 'The verification profiles of the company',
    answers: { 200: success(z.array(profileRecord)) },
    errors: ['not_found'],
  }),
  createVerificationProfile: route({
    ...writing,
    ...at('/profiles'),
    summary: 'A new verification profile; the first one is the default',
    body: createProfileInput,
    answers: { 200: success(profileRecord) },
    errors: ['not_found', 'conflict', invalidInput],
  }),
  getVerificationProfile: route({
    ...reading,
    ...at('/profiles/{profile_id}'),
    summary: 'A verification profile with all its settings',
    params: ofProfile,
    answers: { 200: success(profileRecord) },
    errors: ['not_found'],
  }),
  updateVerificationProfile: route({
    ...replacing,
    ...at('/profiles/{profile_id}'),
    summary: 'Changes name, status or settings; settings are merged key by key',
    params: ofProfile,
    body: updateProfileInput,
    answers: { 200: success(profileRecord) },
    errors: ['not_found', 'conflict', invalidInput],
  }),
  revokeTrust: route({
    ...writing,
    ...at('/profiles/{profile_id}/revoke-trust'),
    summary: 'Takes trust keys back: of one identifier, or of the whole profile',
    params: ofProfile,
    body: z.object({ identifier: text(254, 1).optional() }),
    answers: { 200: success(z.object({ profile_id: z.uuid(), revoked: z.literal(true) })) },
    errors: ['not_found', invalidInput],
  }),
  listVerificationKeys: route({
    ...reading,
    ...at('/profiles/{profile_id}/keys'),
    summary: 'The keys of a profile',
    params: ofProfile,
    answers: { 200: success(z.array(keyRecord)) },
    errors: ['not_found'],
  }),
  createVerificationKey: route({
    ...writing,
    ...at('/profiles/{profile_id}/keys'),
    summary: 'A new pair of keys; the secret one is shown once',
    params: ofProfile,
    body: z.object({ name: text(100).optional(), mode: z.enum(['live', 'test'], { error: 'Must be live or test.' }).optional() }),
    secret: true,
    answers: { 200: issuedKey },
    errors: ['not_found', 'conflict', invalidInput],
  }),
  rotateVerificationKey: route({
    ...writing,
    ...at('/keys/{id}/rotate'),
    summary: 'A new pair under the same id; the old one lives on for 24 hours unless told',
    params: byId,
    body: z.object({ overlap_hours: overlapHours.optional() }),
    secret: true,
    answers: { 200: issuedKey },
    errors: ['not_found', 'conflict', invalidInput],
  }),
  deactivateVerificationKey: route({
    ...writing,
    ...at('/keys/{id}/deactivate'),
    summary: 'Both halves of a key are dead from the next call on',
    params: byId,
    answers: { 200: success(keyRecord) },
    errors: ['not_found', 'conflict'],
  }),
  listVerificationTemplates: route({
    ...reading,
    ...at('/templates'),
    summary: 'How codes are worded',
    query: filter,
    answers: { 200: success(z.array(templateRecord)) },
    errors: [invalidInput],
  }),
  createVerificationTemplate: route({
    ...writing,
    ...at('/templates'),
    summary: 'Words for the codes of a channel and purpose; without a purpose, for all that have none of their own',
    body: templateInput,
    answers: { 200: success(templateRecord) },
    errors: ['not_found', 'conflict', invalidInput],
  }),
  updateVerificationTemplate: route({
    ...replacing,
    ...at('/templates/{id}'),
    summary: 'Other words',
    params: byId,
    body: templateChanges,
    answers: { 200: success(templateRecord) },
    errors: ['not_found', invalidInput],
  }),
  deleteVerificationTemplate: route({
    ...deleting,
    ...at('/templates/{id}'),
    summary: 'Takes a template away',
    params: byId,
    answers: { 200: removed },
    errors: ['not_found'],
  }),
  listVerificationWhitelists: route({
    ...reading,
    ...at('/whitelists'),
    summary: 'What the rules of a profile let through',
    query: filter,
    answers: { 200: success(z.array(whitelistRecord)) },
    errors: [invalidInput],
  }),
  createVerificationWhitelist: route({
    ...writing,
    ...at('/whitelists'),
    summary: 'Lets an address, domain, country or identifier through',
    body: whitelistInput,
    answers: { 200: success(whitelistRecord) },
    errors: ['not_found', 'conflict', invalidInput],
  }),
  deleteVerificationWhitelist: route({
    ...deleting,
    ...at('/whitelists/{id}'),
    summary: 'Lets it through no longer',
    params: byId,
    answers: { 200: removed },
    errors: ['not_found'],
  }),
  listVerificationBlocks: route({
    ...reading,
    ...at('/blocks'),
    summary: 'Whom the guards hold off, why and until when',
    query: filter.extend({ limit: wholeNumber(1, 100).optional(), cursor: text(2_000, 1).optional() }),
    answers: { 200: blocksAnswer },
    errors: ['invalid_cursor', invalidInput],
  }),
  deleteVerificationBlock: route({
    ...deleting,
    ...at('/blocks/{id}'),
    summary: 'Ends a block; counting begins anew',
    params: z.object({ id: z.string().regex(/^[0-9a-f]{32}$/) }),
    answers: { 200: removed },
    errors: ['not_found'],
  }),
};
