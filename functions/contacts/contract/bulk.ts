import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const maxBulkContacts = 1_000;

/** The service normalizes the phones, because that needs the country code of the same request. */
const bulkBody = z.object({
  contacts: z
    .array(
      z.object({
        phone: text(64, 1)
          .refine((value) => /\p{Nd}/u.test(value), { error: 'Must have at least one digit.' })
          .meta({ description: 'Phone number; without + or 00 it is local to country_code.' }),
        name: text(255).nullish().meta({ description: 'Full name; the last name given for a phone wins.' }),
      }),
      { error: 'Must be a list of contacts.' },
    )
    .min(1, { error: 'Must have at least one contact.' })
    .max(maxBulkContacts, { error: `Must have at most ${maxBulkContacts} contacts.` })
    .meta({ description: 'Contacts to create or update, at most 1,000.' }),
  country_code: text(8)
    .regex(/^\+?[1-9]\d{0,3}$/, { error: 'Must be a calling code of 1 to 4 digits.' })
    .transform((value) => value.replace('+', ''))
    .nullish()
    .meta({ description: 'Calling code for local numbers, for example 49.' }),
  group_id: id.nullish().meta({ description: 'A group to which all contacts are added.' }),
  tag_id: id.nullish().meta({ description: 'A tag that all contacts get.' }),
});
export type BulkBody = z.output<typeof bulkBody>;

export const bulkResult = z
  .object({
    synced_count: z.int().meta({ description: 'Contacts created, updated or unchanged.' }),
    updated_count: z.int().meta({ description: 'Contacts that existed.' }),
    created_count: z.int().meta({ description: 'New contacts.' }),
    skipped_limit_count: z.int().meta({ description: 'Contacts not created because of the plan limit.' }),
    duplicate_count: z.int().meta({ description: 'Entries whose phone occurs again later in the list.' }),
    skipped: z
      .array(
        z.object({
          phone: z.string().meta({ description: 'Digits, no plus.' }),
          reason: z.enum(['plan_limit']).meta({ description: 'plan_limit: the plan allows no more contacts.' }),
        }),
      )
      .meta({ description: 'Contacts that were not written, with the reason.' }),
  })
  .meta({ id: 'BulkSyncResult' });
export type BulkResult = z.output<typeof bulkResult>;

export const bulkRoutes = {
  bulkSyncContacts: route({
    method: 'POST',
    path: '/api/v1/contacts/bulk-sync',
    summary: 'Create or update up to 1,000 contacts by phone',
    description:
      'Creates or updates up to 1,000 contacts by phone in one call, and optionally adds them to a group or tag. The whole request is validated first; contacts beyond the plan limit are skipped and listed. Repeating the call is safe. For files use imports.',
    caller: { kind: 'token', scope: 'contacts:write', role: 'member' },
    limit: 'bulk',
    unknownFields: 'refuse',
    body: bulkBody.meta({ id: 'BulkSyncContactsRequest' }),
    answers: { 200: success(bulkResult) },
    errors: ['validation_failed'],
  }),
};
