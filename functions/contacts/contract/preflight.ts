import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

/** How ready a group is for a campaign (A20). Every contact counts once: the exclusions in this order, else as eligible. */
export const preflight = z.object({
  group_id: z.int(),
  total_contacts: z.int().meta({ description: 'eligible and all exclusions together.' }),
  eligible: z.int(),
  invalid_phone: z.int(),
  duplicate_phone: z.int(),
  opted_out: z.int().meta({ description: 'The person said stop.' }),
  unsubscribed: z.int().meta({ description: 'The company unsubscribed the person.' }),
  marketing_blocked: z.int().meta({ description: 'The person stopped marketing at the provider.' }),
  known_not_on_whatsapp: z.int(),
  known_on_whatsapp: z.int().meta({ description: 'Of the eligible.' }),
  unknown_reachability: z.int().meta({ description: 'Of the eligible.' }),
  evidence_as_of: timestamp,
});
export type Preflight = z.output<typeof preflight>;

const counted = {
  caller: { kind: 'token', scope: 'contacts:read', role: 'viewer' },
  limit: 'bulk',
  effect: 'write',
  params: z.object({ id: pathId }),
  answers: { 200: success(preflight) },
  errors: ['not_found'],
} as const;

export const preflightRoutes = {
  preflightGroup: route({
    method: 'POST',
    path: '/api/v1/groups/{id}/preflight',
    summary: 'How many contacts of a group a campaign would reach; sends nothing',
    ...counted,
  }),
  checkGroupPhones: route({
    method: 'POST',
    path: '/api/v1/groups/{id}/check-phones',
    summary: 'How many contacts of a group a campaign would reach (deprecated name)',
    ...counted,
    deprecated: { successor: '/api/v1/groups/{id}/preflight' },
  }),
};
