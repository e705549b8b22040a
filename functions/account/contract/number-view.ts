import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';

/** The state of a number as the API shows it. */
export const numberStateFields = {
  quality: z.string().meta({ description: 'The quality rating of the provider: GREEN, YELLOW, RED or UNKNOWN.' }),
  messaging_limit: z
    .string()
    .nullable()
    .meta({ description: 'How many customers may be written to in 24 hours, as TIER_250; null while unknown.' }),
  account_state: z
    .string()
    .nullable()
    .meta({ description: 'The state of the business account, as ACTIVE or ACCOUNT_OFFBOARDED; null while unknown.' }),
  account_review: z.string().nullable().meta({ description: 'The last review of the account: APPROVED, REJECTED or VERIFIED.' }),
  name_status: z.string().nullable().meta({ description: 'The requested display name: APPROVED, DECLINED or DEFERRED.' }),
  restrictions: z
    .array(
      z
        .object({
          type: z.string().meta({ description: 'As the provider names it, for example RESTRICTED_BIZ_INITIATED_MESSAGING.' }),
          expires_at: timestamp.nullable().meta({ description: 'When it ends; null: open-ended.' }),
        })
        .meta({ id: 'NumberRestriction' }),
    )
    .meta({ description: 'What the provider does not let the number do.' }),
  health: z
    .object({
      can_send: z
        .enum(['AVAILABLE', 'LIMITED', 'BLOCKED'])
        .meta({ description: 'Whether messages leave: BLOCKED stops them all, LIMITED some.' }),
      reasons: z
        .array(
          z
            .object({
              of: z.string().meta({ description: 'What it concerns: PHONE_NUMBER, WABA, BUSINESS, APP or MESSAGE_TEMPLATE.' }),
              code: z.int().nullable().meta({ description: "The provider's code, such as 141006 for the payment method." }),
              text: z.string().meta({ description: 'What is wrong, in the words of the provider.' }),
              fix: z.string().meta({ description: 'What to do about it, in the words of the provider; may be empty.' }),
            })
            .meta({ id: 'NumberHealthReason' }),
        )
        .meta({ description: 'What stands in the way.' }),
    })
    .nullable()
    .meta({ id: 'NumberHealth', description: 'What the provider said of sending at the last daily check; null before it.' }),
};

export const numberUpdated = event({
  name: 'number.updated',
  purpose: 'The provider changed what a number may do: quality, limit, restriction or account',
  log: ({ number_id: id }) => ({ subject: `number:${id}`, by: { kind: 'provider' } }),
  detail: z.object({
    number_id: z.int().meta({ description: 'The id of the number.' }),
    phone: z.string().meta({ description: 'Digits with country code, no plus.' }),
    status: z.enum(['active', 'inactive']).meta({ description: 'Whether messages are sent from the number.' }),
    ...numberStateFields,
    at: timestamp.meta({ description: 'When it changed.' }),
  }),
});
