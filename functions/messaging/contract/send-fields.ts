import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text, timestamp } from '../../../shared/contract/fields.ts';
import { timezone } from '../../account/contract/timezone.ts';

/** What every kind of send takes and answers. Limits: decision A23, as the provider has them. */
export const phone = text(40, 1).meta({ description: 'With country code', example: '+4915112345678' });

/** What every send takes: when, and who judges a closed window. */
export const sendOptions = {
  scheduled_at: text(40, 1)
    .optional()
    .meta({ description: 'ISO 8601, up to 365 days ahead; without an offset in `timezone`', example: '2026-12-24T18:00:00' }),
  timezone: timezone.optional().meta({ description: "IANA time zone of scheduled_at; the company's unless given" }),
  window_policy: z
    .enum(['provider', 'enforce'], { error: 'Must be provider or enforce.' })
    .optional()
    .meta({ description: 'enforce: refuse outside the customer service window. The company setting unless given.' }),
};

/** The provider fetches links itself, http and https (provider reference §1.3); ours alone are the rules of where they may lead. */
export const link = text(2_000, 1).refine((value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value), {
  error: 'Must be an http or https address.',
});
export const httpsLink = link.refine((value) => /^https:/i.test(value), { error: 'Must be an https address.' });

const serviceWindow = z.object({ open: z.boolean(), expires_at: timestamp.nullable() }).meta({ id: 'ServiceWindow' });

/** What a send answers (1§2, A25): 200 when the provider accepted or the message waits, 202 when its fate is unknown for now. */
export const sendResult = z
  .object({
    message_id: z.int(),
    message_wamid: z.string().nullable(),
    status: z.int().min(0).max(6),
    contact_id: z.int(),
    conversation_id: z.int(),
    window: serviceWindow,
    scheduled_at: timestamp.nullable(),
    ambiguous: z.boolean(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'SendResult' });

export const sendAccess = {
  caller: { kind: 'token', scope: 'messages:send', role: 'member' },
  limit: 'sends',
  effect: 'write',
  answers: { 200: success(sendResult), 202: success(sendResult) },
} as const;
