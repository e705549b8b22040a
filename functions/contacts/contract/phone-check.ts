import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, text, timestamp } from '../../../shared/contract/fields.ts';
import { queue } from '../../../shared/contract/queue.ts';
import { route } from '../../../shared/contract/route.ts';
import { projectionTarget } from '../../../shared/events/react.ts';

/** The result of a phone check in responses (A16). */
export const phoneCheck = z
  .object({
    phone: z.string().meta({ description: 'Digits, no plus.' }),
    is_valid: z.boolean().nullable().meta({ description: 'Whether the phone can exist; null while unknown.' }),
    exists_on_whatsapp: z.boolean().nullable().meta({ description: 'Whether the phone is on WhatsApp; null while unknown.' }),
    check_status: z.enum(['pending', 'settled', 'inconclusive']).meta({
      description:
        'settled: the result is known. pending: a message was not delivered or answered yet. inconclusive: no evidence within a day.',
    }),
    source: z.enum(['live_pending', 'live', 'webhook', 'cache', 'format']).meta({
      description:
        'format: from the number itself. webhook, cache: from past messages. live_pending, live: from a check without evidence so far.',
    }),
    cooldown_until: timestamp.nullable().meta({ description: 'Until this time a refresh returns the last result.' }),
  })
  .meta({ id: 'PhoneCheck' });
export type PhoneCheck = z.output<typeof phoneCheck>;

export const phoneCheckRoutes = {
  checkPhone: route({
    method: 'POST',
    path: '/api/v1/contacts/check-phone',
    summary: 'Check whether a phone is on WhatsApp, based on past deliveries',
    description:
      'Returns whether a phone is on WhatsApp. The provider has no such check, so the result comes from past deliveries and inbound messages. Without evidence the status is 202 and pending: send a message, then check again. At most 30 checks of unknown numbers a minute and 1,000 a day.',
    caller: { kind: 'token', scope: 'contacts:read', role: 'member' },
    limit: 'check_phone',
    body: z
      .object({
        phone: text(64, 1).meta({ description: 'Phone number with country code.' }),
        refresh: jsonBoolean.optional().meta({ description: 'true ignores earlier results.' }),
      })
      .meta({ id: 'CheckPhoneRequest' }),
    answers: { 200: success(phoneCheck), 202: success(phoneCheck) },
    errors: ['validation_failed', 'check_phone_quota'],
  }),
};

export const reachabilityEntityName = 'reachability';

/** Evidence from messages whether a phone is on WhatsApp, as stored. Times are epoch milliseconds. */
export const storedReachability = z.object({
  companyId: z.int(),
  /** Canonical. */
  phone: z.string(),
  /** Last proof that the phone is on WhatsApp. */
  seenAt: z.int().optional(),
  /** First and last undeliverable message since that proof. */
  missedAt: z.int().optional(),
  missedLastAt: z.int().optional(),
  /** Time of the last live check, and since when it waits for evidence. */
  checkedAt: z.int().optional(),
  pendingSince: z.int().optional(),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});

export type Reachability = z.output<typeof storedReachability>;

export const reachabilityTarget = projectionTarget<{ companyId: number; phone: string }, Reachability>(reachabilityEntityName, {
  isEvidence: true,
});

const about = <const W extends string, F extends z.ZodRawShape>(what: W, fields: F) =>
  z.object({ about: z.literal(what), company_id: z.int(), ...fields });

export const reachabilityQueue = queue({
  name: 'reachability',
  purpose: 'Evidence that needs a read of the contact or conversation, and verdicts to apply to contacts',
  message: z.discriminatedUnion('about', [
    about('inbound', { contact_id: z.int(), at: z.int() }),
    about('miss', { contact_id: z.int(), phone: z.string(), at: z.int() }),
    about('verdict', { phone: z.string() }),
  ]),
  workSeconds: 30,
  maxReceives: 8,
});
