import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const maxBulkContacts = 1_000;

/** What POST /contacts/bulk-sync takes (1§4, A15). The phone is normalized with the call's country code, so in the service. */
const bulkBody = z.object({
  contacts: z
    .array(
      z.object({
        phone: text(64, 1).refine((value) => /\d/.test(value), { error: 'Must have at least one digit.' }),
        name: text(255).nullish(),
      }),
      { error: 'Must be a list of contacts.' },
    )
    .min(1, { error: 'Must have at least one contact.' })
    .max(maxBulkContacts, { error: `Must have at most ${maxBulkContacts} contacts.` }),
  country_code: text(8)
    .regex(/^\+?[1-9]\d{0,3}$/, { error: 'Must be a calling code of 1 to 4 digits.' })
    .transform((value) => value.replace('+', ''))
    .nullish(),
  group_id: id.nullish(),
  tag_id: id.nullish(),
});
export type BulkBody = z.output<typeof bulkBody>;

export const bulkResult = z
  .object({
    synced_count: z.int(),
    updated_count: z.int(),
    created_count: z.int(),
    skipped_limit_count: z.int(),
    duplicate_count: z.int().meta({ description: 'Entries that named a phone which came later in the list again.' }),
    skipped: z.array(z.object({ phone: z.string(), reason: z.enum(['plan_limit']) })),
  })
  .meta({ id: 'BulkSyncResult' });
export type BulkResult = z.output<typeof bulkResult>;

export const bulkRoutes = {
  bulkSyncContacts: route({
    method: 'POST',
    path: '/api/v1/contacts/bulk-sync',
    summary: 'Create or update up to 1,000 contacts by phone',
    caller: { kind: 'token', scope: 'contacts:write', role: 'member' },
    limit: 'bulk',
    effect: 'write',
    body: bulkBody,
    answers: { 200: success(bulkResult) },
    errors: ['validation_failed'],
  }),
};
