import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { type Method, route } from '../../../shared/contract/route.ts';
import { keyRecord, profileRecord } from '../../account/contract/record.ts';
import { usageQuery } from '../../usage/contract/range.ts';
import { overlapHours } from '../../account/contract/token.ts';
import { whitelistKinds } from '../domain/eligibility-rules.ts';
import { profileSettingsInput } from '../domain/settings-input.ts';
import { channel, requestStatuses, uuid } from './stored.ts';
import { countedReasons } from './usage.ts';

/** The settings of a company's verification, beyond the specification. */
const operation = <M extends Method, P extends string>(method: M, path: P) => ({
  method,
  path: `/api/v1/verification/admin${path}` as const,
  caller: { kind: 'token', scope: 'verification:manage', role: 'admin' } as const,
  problemFormat: 'verification' as const,
});

const pathUuid = z.uuid().transform((value) => value.toLowerCase());
const ofProfile = z.object({ profile_id: pathUuid });
const byId = z.object({ id: pathUuid });
const removed = success(z.object({ id: z.string(), deleted: z.literal(true) }));

const profileStatus = z.enum(['active', 'inactive'], { error: 'Must be active or inactive.' });
const settings = profileSettingsInput.meta({
  id: 'VerificationSettings',
  description: 'Settings to merge, key by key; null restores a default.',
});
const createProfileInput = z.object({
  name: text(100, 1).meta({ description: 'The name of the profile; shown in emails.' }),
  settings_json: settings.optional().meta({ description: 'Settings to merge, key by key; null restores a default.' }),
});
const updateProfileInput = z.object({
  name: text(100, 1).optional().meta({ description: 'The name of the profile.' }),
  settings_json: settings.optional().meta({ description: 'Settings to merge, key by key; null restores a default.' }),
  status: profileStatus.optional().meta({ description: 'active, or inactive: every call except GET /config is refused.' }),
});
export type ProfileChanges = z.output<typeof updateProfileInput>;

const issuedKey = success(keyRecord.extend({ secret_key: z.string() }));

export const templateInput = z.object({
  profile_id: uuid.meta({ description: 'The profile of the template.' }),
  channel: channel.meta({ description: 'The channel of the codes.' }),
  purpose: text(50, 1)
    .optional()
    .meta({ description: 'The purpose that the template is for; default: all purposes without a template of their own.' }),
  language: text(20, 2).optional().meta({ description: 'The language of the provider template, such as en_US; default: en.' }),
  provider_template: text(512, 1)
    .regex(/^[a-z0-9_]+$/, { error: 'Must be the name of a template.' })
    .optional()
    .meta({
      description:
        'For WhatsApp: an AUTHENTICATION template with a copy-code button, or a UTILITY one whose URL button ends in `/api/v1/verification/magic/{{1}}`.',
    }),
  subject: text(200, 1).optional().meta({ description: 'The subject of an email; {{code}}, {{minutes}} and {{name}} are filled in.' }),
  body: text(10_000, 1).optional().meta({
    description:
      'The text of an email; must contain {{code}}, may contain {{link}}, {{minutes}}, {{name}} and {{about}}: what the code allows and where it was requested, which is added to an email with a link that does not contain it.',
  }),
});
export type TemplateInput = z.output<typeof templateInput>;
const templateChanges = templateInput.omit({ profile_id: true, channel: true, purpose: true });
export type TemplateChanges = z.output<typeof templateChanges>;
export const verificationTemplateRecord = z
  .object({
    id: z.uuid().meta({ description: 'The id of the template.' }),
    profile_id: z.uuid().meta({ description: 'The profile of the template.' }),
    channel: channel.meta({ description: 'The channel of the codes.' }),
    purpose: z.string().meta({ description: 'The purpose; `default` is for all others.' }),
    language: z.string().meta({ description: 'The language of the provider template.' }),
    provider_template: z.string().nullable().meta({ description: 'The provider template of a WhatsApp code, or null.' }),
    subject: z.string().nullable().meta({ description: 'The subject of an email, or null.' }),
    body: z.string().nullable().meta({ description: 'The text of an email, or null.' }),
    warning: z
      .string()
      .nullable()
      .meta({ description: 'After a create or update: settings of the provider template that do not fit the profile, or null.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'VerificationTemplate' });
export type VerificationTemplateRecord = z.output<typeof verificationTemplateRecord>;

const whitelistInput = z.object({
  profile_id: uuid.meta({ description: 'The profile of the entry.' }),
  kind: z.enum(whitelistKinds, { error: `Must be one of ${whitelistKinds.join(', ')}.` }).meta({ description: 'What the value is.' }),
  value: text(254, 1).meta({ description: 'An address or network, a domain, a country (two letters), a phone or an email.' }),
  expires_at: z.iso
    .datetime({ offset: true, error: 'Must be an ISO 8601 time.' })
    .nullish()
    .meta({ description: 'When the entry expires; default: never.' }),
});
export type WhitelistInput = z.output<typeof whitelistInput>;
export const whitelistRecord = z
  .object({
    id: z.uuid().meta({ description: 'The id of the entry.' }),
    profile_id: z.uuid().meta({ description: 'The profile of the entry.' }),
    kind: z.enum(whitelistKinds).meta({ description: 'What the value is.' }),
    value: z.string().meta({ description: 'The exempt value.' }),
    expires_at: timestamp.nullable().meta({ description: 'When the entry expires; null: never.' }),
    created_at: timestamp,
  })
  .meta({ id: 'AllowlistEntry' });
export type WhitelistRecord = z.output<typeof whitelistRecord>;

export const blockRecord = z
  .object({
    id: z.string().meta({ description: 'The id of the block.' }),
    profile_id: z.uuid().meta({ description: 'The profile of the block.' }),
    kind: z.enum(['identifier', 'ip', 'prefix']).meta({ description: 'What is blocked: an identifier, an address, or a phone prefix.' }),
    /** An address or prefix; of an identifier its ends alone. */
    subject: z.string().meta({ description: 'The address or prefix; an identifier is masked.' }),
    reason: z.string().meta({ description: 'Why the block began.' }),
    blocked_at: timestamp.meta({ description: 'When the block began.' }),
    blocked_until: timestamp.meta({ description: 'When the block ends.' }),
  })
  .meta({ id: 'VerificationBlock' });
export type BlockRecord = z.output<typeof blockRecord>;
const withCursor = { meta: z.object({ next_cursor: z.string().nullable() }) };
const blocksAnswer = success(z.array(blockRecord)).extend(withCursor);

const filter = z.object({ profile_id: uuid.optional().meta({ description: 'Only of this profile.' }) });

const time = z.iso.datetime({ offset: true, error: 'Must be an ISO 8601 time.' });
const requestsQuery = filter.extend({
  status: z.enum(requestStatuses, { error: `Must be one of ${requestStatuses.join(', ')}.` }).optional(),
  from: time.optional(),
  to: time.optional(),
  limit: wholeNumber(1, 100).optional(),
  cursor: text(2_000, 1).optional(),
});
export type RequestsQuery = z.output<typeof requestsQuery>;
const requestSummary = z.object({
  request_id: z.uuid(),
  profile_id: z.uuid(),
  identifier: z.string().meta({ description: 'Masked.' }),
  channel,
  purpose: z.string(),
  status: z.enum(requestStatuses),
  reason: z.string().nullable(),
  codes: z.int().meta({ description: 'Codes sent.' }),
  attempts: z.int().nullable().meta({ description: 'Null while pending.' }),
  test: z.boolean(),
  created_at: timestamp,
  ended_at: timestamp.nullable(),
});
export type RequestSummary = z.output<typeof requestSummary>;

const count = z.int();
const reportDay = z.object({
  date: z.string().meta({ format: 'date' }),
  profile_id: z.uuid().nullable(),
  channel: channel.nullable().meta({ description: 'With `by=channel`, `by=country` and `by=reason` the channel of the codes, else null.' }),
  country: z.string().nullable().meta({
    description:
      'With `by=country` the country of the phones, `ZZ` of those of no known country; null: of emails, of requests that ended before they were counted by country, and without `by=country`.',
  }),
  reason: z.enum(countedReasons).nullable().meta({
    description:
      'With `by=reason` why the requests failed or were blocked, `other` of those without a known reason; null: verified, expired, ended before they were counted by reason, and without `by=reason`.',
  }),
  requested: count,
  verified: count,
  failed: count,
  expired: count,
  blocked: count,
});
export type ReportDay = z.output<typeof reportDay>;
/** What a line of a day stands for. */
const reportBreakdowns = ['profile', 'channel', 'country', 'reason'] as const;
export type ReportBreakdown = (typeof reportBreakdowns)[number];
const reportQuery = filter.extend(usageQuery.shape).extend({
  by: z
    .enum(reportBreakdowns, { error: 'Must be profile, channel, country or reason.' })
    .optional()
    .meta({ description: 'channel, country, reason: a line for each of a profile; default: profile.' }),
});
export type VerificationReportQuery = z.output<typeof reportQuery>;

/** For services that validate input themselves; a route with a body has this problem anyway. */
const invalidInput = 'validation_failed' as const;

export const adminRoutes = {
  listVerificationProfiles: route({
    ...operation('GET', '/profiles'),
    summary: 'List verification profiles',
    description: 'All profiles of the company with their settings.',
    answers: { 200: success(z.array(profileRecord)) },
    errors: ['not_found'],
  }),
  createVerificationProfile: route({
    ...operation('POST', '/profiles'),
    summary: 'Create a verification profile',
    description: 'The first profile becomes the default one. Settings that are not given have their defaults.',
    unknownFields: 'refuse',
    body: createProfileInput.meta({ id: 'CreateVerificationProfileRequest' }),
    answers: { 200: success(profileRecord) },
    refuses: ['combination', 'state'],
    errors: ['not_found', 'conflict', invalidInput],
  }),
  getVerificationProfile: route({
    ...operation('GET', '/profiles/{profile_id}'),
    summary: 'Get a verification profile',
    description: 'Shows every setting with its value. The CAPTCHA secret is never shown, only `has_secret_key`.',
    params: ofProfile,
    answers: { 200: success(profileRecord) },
    errors: ['not_found'],
  }),
  updateVerificationProfile: route({
    ...operation('PUT', '/profiles/{profile_id}'),
    summary: 'Update a verification profile',
    description:
      'Changes name, status or settings. Settings are merged key by key; what GET shows can be put back unchanged. An inactive profile refuses every call of its keys except GET /config.',
    params: ofProfile,
    unknownFields: 'refuse',
    body: updateProfileInput.meta({ id: 'UpdateVerificationProfileRequest' }),
    answers: { 200: success(profileRecord) },
    refuses: ['combination', 'state'],
    errors: ['not_found', 'conflict', invalidInput],
  }),
  revokeTrust: route({
    ...operation('POST', '/profiles/{profile_id}/revoke-trust'),
    summary: 'Revoke trust keys',
    description:
      'Invalidates the trust keys that were issued before: of one identifier, or of the whole profile. The next request sends a code again.',
    params: ofProfile,
    unknownFields: 'refuse',
    body: z
      .object({
        identifier: text(254, 1).optional().meta({ description: 'The phone or email; default: all identifiers of the profile.' }),
      })
      .meta({ id: 'RevokeTrustRequest' }),
    answers: { 200: success(z.object({ profile_id: z.uuid(), revoked: z.literal(true) })) },
    refuses: ['form'],
    errors: ['not_found', invalidInput],
  }),
  listVerificationKeys: route({
    ...operation('GET', '/profiles/{profile_id}/keys'),
    summary: 'List the keys of a profile',
    description: 'Public keys with the last four characters of their secret keys.',
    params: ofProfile,
    answers: { 200: success(z.array(keyRecord)) },
    errors: ['not_found'],
  }),
  createVerificationKey: route({
    ...operation('POST', '/profiles/{profile_id}/keys'),
    freshProof: true,
    makes: 'key',
    summary: 'Create a key pair',
    description:
      'A public key for apps and a secret key for servers and signatures. The secret key is shown once. A key of mode `test` accepts the public test identifier.',
    params: ofProfile,
    unknownFields: 'refuse',
    body: z
      .object({
        name: text(100).optional().meta({ description: 'A name for your own use.' }),
        mode: z
          .enum(['live', 'test'], { error: 'Must be live or test.' })
          .optional()
          .meta({ description: 'test accepts the public test identifier; default: live.' }),
      })
      .meta({ id: 'CreateVerificationKeyRequest' }),
    secret: true,
    answers: { 200: issuedKey },
    errors: ['not_found', 'conflict', invalidInput],
  }),
  rotateVerificationKey: route({
    ...operation('POST', '/keys/{id}/rotate'),
    freshProof: true,
    makes: 'key',
    summary: 'Rotate a key pair',
    description: 'Creates a new pair under the same id. The old pair stays valid for `overlap_hours`, by default 24.',
    params: byId,
    unknownFields: 'refuse',
    body: z
      .object({
        overlap_hours: overlapHours.optional().meta({ description: 'Hours for which the old pair stays valid; default: 24.' }),
      })
      .meta({ id: 'RotateVerificationKeyRequest' }),
    secret: true,
    answers: { 200: issuedKey },
    errors: ['not_found', 'conflict', invalidInput],
  }),
  deactivateVerificationKey: route({
    ...operation('POST', '/keys/{id}/deactivate'),
    summary: 'Deactivate a key pair',
    description: 'Refuses both keys from the next call on.',
    params: byId,
    answers: { 200: success(keyRecord) },
    errors: ['not_found', 'conflict'],
  }),
  listVerificationTemplates: route({
    ...operation('GET', '/templates'),
    summary: 'List verification message templates',
    description: 'The templates of codes, of all profiles or of one.',
    query: filter,
    answers: { 200: success(z.array(verificationTemplateRecord)) },
    errors: [invalidInput],
  }),
  createVerificationTemplate: route({
    ...operation('POST', '/templates'),
    summary: 'Create a verification message template',
    description:
      'The message of codes for a channel and purpose. WhatsApp needs a template of the provider; an email has a subject and a body of its own.',
    unknownFields: 'refuse',
    body: templateInput.meta({ id: 'CreateVerificationTemplateRequest' }),
    answers: { 200: success(verificationTemplateRecord) },
    refuses: ['combination', 'template'],
    errors: ['not_found', 'conflict', invalidInput],
  }),
  updateVerificationTemplate: route({
    ...operation('PUT', '/templates/{id}'),
    summary: 'Update a verification message template',
    description: 'Changes the given fields.',
    params: byId,
    unknownFields: 'refuse',
    body: templateChanges.meta({ id: 'UpdateVerificationTemplateRequest' }),
    answers: { 200: success(verificationTemplateRecord) },
    refuses: ['combination', 'template'],
    errors: ['not_found', invalidInput],
  }),
  deleteVerificationTemplate: route({
    ...operation('DELETE', '/templates/{id}'),
    summary: 'Delete a verification message template',
    description: 'Codes use the default message again.',
    params: byId,
    answers: { 200: removed },
    errors: ['not_found'],
  }),
  listVerificationWhitelists: route({
    ...operation('GET', '/whitelists'),
    summary: 'List the allowlist',
    description: 'Entries that are exempt from the rules, of all profiles or of one.',
    query: filter,
    answers: { 200: success(z.array(whitelistRecord)) },
    errors: [invalidInput],
  }),
  createVerificationWhitelist: route({
    ...operation('POST', '/whitelists'),
    summary: 'Add to the allowlist',
    description:
      'Exempts an address or network, an email domain, a country, or a phone or email from the rules and fraud limits of a profile.',
    unknownFields: 'refuse',
    body: whitelistInput.meta({ id: 'CreateVerificationWhitelistRequest' }),
    answers: { 200: success(whitelistRecord) },
    refuses: ['form'],
    errors: ['not_found', 'conflict', invalidInput],
  }),
  deleteVerificationWhitelist: route({
    ...operation('DELETE', '/whitelists/{id}'),
    summary: 'Remove from the allowlist',
    description: 'The rules apply again.',
    params: byId,
    answers: { 200: removed },
    errors: ['not_found'],
  }),
  listVerificationRequests: route({
    ...operation('GET', '/requests'),
    summary: 'List verification requests',
    description: 'Requests of the last 30 days, newest first.',
    query: requestsQuery,
    answers: { 200: success(z.array(requestSummary)).extend(withCursor) },
    errors: ['invalid_cursor', invalidInput],
  }),
  getVerificationReport: route({
    ...operation('GET', '/report'),
    summary: 'Count verification requests by day',
    description:
      'By profile, with `by=channel` also by channel, with `by=country` by channel and country, with `by=reason` by channel and why they failed or were blocked, and the UTC day on which they ended. Tests do not count. What the codes cost by country: `GET /api/v1/spend?by=country&only=codes`.',
    query: reportQuery,
    answers: { 200: success(z.array(reportDay)) },
    errors: [invalidInput],
  }),
  listVerificationBlocks: route({
    ...operation('GET', '/blocks'),
    summary: 'List blocked identifiers and IPs',
    description:
      'The active fraud blocks with reason and end: identifiers (failed attempts, or requested too often by one source), addresses (too many identifiers) and phone prefixes. Cursor pagination.',
    query: filter.extend({ limit: wholeNumber(1, 100).optional(), cursor: text(2_000, 1).optional() }),
    answers: { 200: blocksAnswer },
    errors: ['invalid_cursor', invalidInput],
  }),
  deleteVerificationBlock: route({
    ...operation('DELETE', '/blocks/{id}'),
    summary: 'End a block',
    description: 'Ends a fraud block at once and resets its counters.',
    params: z.object({ id: z.string().regex(/^[0-9a-f]{32}$/) }),
    answers: { 200: removed },
    errors: ['not_found'],
  }),
};
