import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

/** How many contacts of a group a campaign would reach (A20). Each contact counts once: under the first exclusion that applies, else as eligible. */
export const preflight = z
  .object({
    group_id: z.int(),
    total_contacts: z.int().meta({ description: 'The sum of eligible and all exclusions.' }),
    eligible: z.int().meta({ description: 'Contacts that a marketing campaign would reach.' }),
    invalid_phone: z.int().meta({ description: 'Contacts without a valid phone, whom no user id of the provider reaches either.' }),
    duplicate_phone: z.int().meta({ description: 'Contacts whose phone another contact of the group has too.' }),
    blocked: z.int().meta({ description: 'Contacts that you blocked.' }),
    opted_out: z.int().meta({ description: 'Opted out by the recipient, for example with STOP.' }),
    unsubscribed: z.int().meta({ description: 'Unsubscribed by the company.' }),
    marketing_blocked: z.int().meta({ description: 'The recipient stopped marketing messages at the provider.' }),
    known_not_on_whatsapp: z.int().meta({ description: 'Contacts whose phone is known not to be on WhatsApp.' }),
    known_on_whatsapp: z.int().meta({ description: 'Eligible contacts that are known to be on WhatsApp.' }),
    unknown_reachability: z.int().meta({ description: 'Eligible contacts of which nothing is known yet.' }),
    is_partial: z.boolean().meta({ description: 'True: the group is too large for one call; add the counts of the next part.' }),
    next_cursor: z.string().nullable().meta({ description: 'Send it as `cursor` for the next part; null on the last.' }),
    evidence_as_of: timestamp.meta({ description: 'When the contacts were counted.' }),
  })
  .meta({ id: 'GroupPreflight' });
export type Preflight = z.output<typeof preflight>;

// apart from what the routes share: in it they would be built with every start
const groupParams = z.object({ id: pathId.meta({ description: 'The id of the group.' }) });
const partQuery = z.object({ cursor: text(2_000, 1).optional() });

const counted = {
  caller: { kind: 'token', scope: 'contacts:read', role: 'viewer' },
  limit: 'bulk',
  effect: 'write',
  answers: { 200: success(preflight) },
  errors: ['validation_failed', 'not_found', 'invalid_cursor'],
} as const;

export const preflightRoutes = {
  preflightGroup: route({
    method: 'POST',
    path: '/api/v1/groups/{id}/preflight',
    summary: 'Count the contacts of a group that a campaign would reach',
    description:
      'Counts how many contacts of a group a marketing campaign would reach, and why it would exclude the others. Sends nothing. A large group is counted in parts.',
    ...counted,
    params: groupParams,
    query: partQuery,
  }),
  checkGroupPhones: route({
    method: 'POST',
    path: '/api/v1/groups/{id}/check-phones',
    summary: 'Count the contacts of a group that a campaign would reach (deprecated name)',
    description: 'The deprecated name of the group preflight. Sends nothing.',
    ...counted,
    params: groupParams,
    query: partQuery,
    deprecated: { successor: '/api/v1/groups/{id}/preflight' },
  }),
};
