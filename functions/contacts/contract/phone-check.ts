import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, text, timestamp } from '../../../shared/contract/fields.ts';
import { queue } from '../../../shared/contract/queue.ts';
import { route } from '../../../shared/contract/route.ts';
import { projectionTarget } from '../../../shared/events/react.ts';
import type { Reachability } from '../domain/reachability.ts';

/** A phone check's result (1§2, A16). */
export const phoneCheck = z.object({
  phone: z.string().meta({ description: 'Digits, no plus.' }),
  is_valid: z.boolean().nullable(),
  exists_on_whatsapp: z.boolean().nullable(),
  check_status: z.enum(['pending', 'settled', 'inconclusive']),
  source: z.enum(['live_pending', 'live', 'webhook', 'cache', 'format']),
  cooldown_until: timestamp.nullable().meta({ description: 'Until then a refresh gives the last answer.' }),
});
export type PhoneCheck = z.output<typeof phoneCheck>;

export const phoneCheckRoutes = {
  checkPhone: route({
    method: 'POST',
    path: '/api/v1/contacts/check-phone',
    summary: 'Whether a phone is on WhatsApp, as far as messages have shown',
    caller: { kind: 'token', scope: 'contacts:read', role: 'member' },
    limit: 'check_phone',
    effect: 'write',
    body: z.object({
      phone: text(64, 1),
      refresh: jsonBoolean.optional().meta({ description: 'true passes over what is known.' }),
    }),
    answers: { 200: success(phoneCheck), 202: success(phoneCheck) },
    errors: ['validation_failed', 'check_phone_quota'],
  }),
};

export const reachabilityEntityName = 'reachability';

/** What messages have shown of a phone, as the table holds it; times are epoch milliseconds. */
export const storedReachability = z.object({
  companyId: z.int(),
  phone: z.string(),
  seenAt: z.int().optional(),
  missedAt: z.int().optional(),
  missedLastAt: z.int().optional(),
  checkedAt: z.int().optional(),
  pendingSince: z.int().optional(),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});

export const reachabilityTarget = projectionTarget<{ companyId: number; phone: string }, Reachability>(reachabilityEntityName);

const about = <const W extends string, F extends z.ZodRawShape>(what: W, fields: F) =>
  z.object({ about: z.literal(what), company_id: z.int(), ...fields });

export const reachabilityQueue = queue({
  name: 'reachability',
  purpose: 'Evidence that needs a look at the contact or the conversation, and verdicts that contacts are to follow',
  message: z.discriminatedUnion('about', [
    about('inbound', { contact_id: z.int(), at: z.int() }),
    about('miss', { contact_id: z.int(), phone: z.string(), at: z.int() }),
    about('verdict', { phone: z.string() }),
  ]),
  workSeconds: 30,
  maxReceives: 8,
});
