import * as z from 'zod';
import { cursorMeta, deleted, pageMeta, paginated, success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { consentRecord } from './consent.ts';
import { contactBody, contactChanges } from './contact-body.ts';
import { fieldRecord } from './field.ts';
import { contactsQuery } from './list.ts';

/** A contact in responses. */
export const contactRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the contact.' }),
    name: z.string().nullable().meta({ description: 'Full name, or null.' }),
    phone: z.string().meta({ description: "Digits with country code, no plus. Empty when only the provider's user id is known." }),
    user_id: z.string().nullable().meta({ description: "The provider's id of the user for this business, or null while it is not known." }),
    username: z.string().nullable().meta({ description: 'The user name at the provider, without @, or null.' }),
    reachable_by: z
      .enum(['phone', 'user_id'])
      .meta({ description: 'By what messages go to the contact: its phone, or the user id of one whose phone is not known.' }),
    email: z.string().nullable().meta({ description: 'Email address, or null.' }),
    city: z.string().nullable().meta({ description: 'City, or null.' }),
    country: z.string().nullable().meta({ description: 'English short name; inferred from the calling code when not given.' }),
    company: z.string().nullable().meta({ description: 'Name of the company that the contact works for, or null.' }),
    subscribed: z
      .boolean()
      .meta({ description: 'false after an opt-out, by the recipient or by the company. Campaigns skip the contact.' }),
    is_on_whatsapp: z.boolean().meta({ description: 'true once known from past messages; false while unknown.' }),
    enabled_ai_bot: z.boolean().meta({
      description:
        'Whether automated answers and an AI bot may reply to this contact: the switch that your bot follows, in `message.received` too.',
    }),
    marketing_blocked: z
      .boolean()
      .meta({ description: 'The recipient stopped marketing messages at the provider; only the recipient can undo it.' }),
    blocked: z.boolean().meta({ description: 'You blocked the contact: it cannot write to you, and nothing is sent to it.' }),
    groups: z
      .array(
        z
          .object({
            id: z.int().meta({ description: 'The id of the group.' }),
            name: z.string().meta({ description: 'The name of the group.' }),
          })
          .meta({ id: 'ContactGroup' }),
      )
      .meta({ description: 'Groups of the contact.' }),
    tags: z
      .array(
        z
          .object({
            id: z.int().meta({ description: 'The id of the tag.' }),
            name: z.string().meta({ description: 'The name of the tag.' }),
            color: z.string().meta({ description: 'Colour as #RRGGBB.' }),
          })
          .meta({ id: 'ContactTag' }),
      )
      .meta({ description: 'Tags of the contact.' }),
    custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({ description: 'Values of custom fields by key.' }),
    created_at: timestamp,
    updated_at: timestamp,
    deleted_at: timestamp.optional().meta({ description: 'Only on deleted contacts, which only include_deleted and only_deleted list.' }),
  })
  .meta({ id: 'Contact' });
export type ContactRecord = z.output<typeof contactRecord>;

/** When a filter has to scan more contacts than one call reads, `total` is partial and `next_cursor` continues the scan. */
const contactsPage = paginated(contactRecord)
  .extend({
    meta: pageMeta
      .extend({
        total_is_partial: z
          .literal(true)
          .optional()
          .meta({ description: 'The total covers only the contacts scanned so far. The page may be short; next_cursor continues.' }),
      })
      .meta({ description: 'Where this page stands in the list.' }),
  })
  .meta({ id: 'ContactPage' });

const country = z
  .object({
    id: z.int().meta({ description: 'ISO 3166-1 numeric code; the value for country_id.' }),
    name: z.string().meta({ description: 'English short name.' }),
    code: z.string().meta({ description: 'ISO 3166-1 alpha-2 code.' }),
  })
  .meta({ id: 'Country' });

const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;
const params = z.object({ id: pathId.meta({ description: 'The id of the contact.' }) });

const consentsQuery = z.object({ limit: wholeNumber(1, 100).default(100), cursor: text(2_000, 1).optional() });
export type ConsentsQuery = z.output<typeof consentsQuery>;

export const contactRoutes = {
  listContacts: route({
    method: 'GET',
    path: '/api/v1/contacts',
    summary: 'List contacts, newest first',
    description:
      'Lists contacts, newest first; with update_from, by last change, oldest first. Filter by group, tag, search text or rules (filter_condition). Use page for the first pages and cursor for deep pagination or a synchronization. When a filter has to scan many contacts, meta.total_is_partial is true and next_cursor continues.',
    caller: reader,
    query: contactsQuery,
    answers: { 200: contactsPage },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createContact: route({
    method: 'POST',
    path: '/api/v1/contacts',
    summary: 'Create or update a contact by phone',
    description:
      'Creates a contact, or updates the one that has this phone: given fields change, groups and tags are added. Variants of one number (for example with and without 00) are the same contact. A contact that was deleted in the last 30 days is restored.',
    caller: writer,
    body: contactBody.meta({ id: 'CreateContactRequest' }),
    answers: {
      200: success(
        contactRecord
          .extend({ created: z.boolean().meta({ description: 'Whether the request created the contact.' }) })
          .meta({ id: 'UpsertedContact' }),
      ),
    },
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
  getContact: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}',
    summary: 'Get a contact',
    description: 'Returns a contact with its groups, tags, consent and custom fields.',
    caller: reader,
    params,
    answers: { 200: success(contactRecord) },
    errors: ['not_found'],
  }),
  replaceContact: route({
    method: 'PUT',
    path: '/api/v1/contacts/{id}',
    summary: 'Replace a contact',
    description:
      'Replaces a contact: plain fields that are omitted are cleared; groups, tags and custom fields are replaced if given. subscribed and enabled_ai_bot stay when omitted, so that an omission never subscribes a contact again.',
    caller: writer,
    params,
    body: contactBody.meta({ id: 'ReplaceContactRequest' }),
    answers: { 200: success(contactRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'not_found'],
  }),
  updateContact: route({
    method: 'PATCH',
    path: '/api/v1/contacts/{id}',
    summary: 'Change a contact, its groups and tags',
    description:
      'Changes the given fields and keeps all others. add_groups, remove_groups, add_tags and remove_tags change single memberships; what is in both lists is removed. Repeating the call changes nothing.',
    caller: writer,
    params,
    body: contactChanges.meta({ id: 'UpdateContactRequest' }),
    answers: { 200: success(contactRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'not_found'],
  }),
  mergeContacts: route({
    method: 'POST',
    path: '/api/v1/contacts/{id}/merge',
    summary: 'Merge another contact into a contact',
    description:
      'Makes another record of the same customer part of this contact, with groups, tags, fields, identities and history; it stays subscribed only if both were. Repeating it changes nothing. It cannot be undone.',
    caller: writer,
    params,
    body: z
      .object({ contact_id: z.int().min(1).meta({ description: 'The id of the contact that becomes part of this one.' }) })
      .meta({ id: 'MergeContactsRequest' }),
    answers: { 200: success(contactRecord) },
    refuses: ['limit'],
    errors: ['validation_failed', 'not_found'],
  }),
  listContactConsents: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}/consents',
    summary: 'List the changes of consent of a contact',
    description:
      'Every change of consent, newest first, with its source and the proof where there is one: by a keyword of the recipient, at the provider, in a shop, by an import or through the API. Changes are listed within about a second.',
    caller: reader,
    params,
    query: consentsQuery,
    answers: {
      200: success(z.array(consentRecord)).extend({ meta: cursorMeta }),
    },
    errors: ['validation_failed', 'not_found', 'invalid_cursor'],
  }),
  getGroupsAndFields: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}/groups-and-fields',
    summary: 'List groups and custom fields of a contact',
    description:
      'Returns the groups and custom values of a contact, with the definitions of all custom fields, for example to render a form.',
    caller: reader,
    params,
    answers: {
      200: success(
        z
          .object({
            groups: contactRecord.shape.groups,
            fields: contactRecord.shape.custom,
            definitions: z.array(fieldRecord).meta({ description: 'Definitions of all custom fields of the company.' }),
          })
          .meta({ id: 'GroupsAndFields' }),
      ),
    },
    errors: ['not_found'],
  }),
  listCountries: route({
    method: 'GET',
    path: '/api/v1/countries',
    summary: 'List countries',
    description: 'Lists all countries by English name, with the ISO 3166-1 numeric codes that country_id takes.',
    caller: reader,
    answers: { 200: success(z.array(country)) },
    errors: [],
  }),
  deleteContact: route({
    method: 'DELETE',
    path: '/api/v1/contacts/{id}',
    summary: 'Delete a contact',
    description:
      'Deletes a contact: it is hidden from all lists and removed from its groups. For 30 days, createContact with the same phone restores it; then it is purged.',
    caller: writer,
    params,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
