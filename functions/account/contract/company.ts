import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import { planLimits } from './plan.ts';
import { timezone } from './timezone.ts';

export const planInput = z.object({ name: text(50, 1), limits: planLimits });

const countryCode = z
  .string()
  .transform((value) => value.trim().toUpperCase())
  .refine((value) => /^[A-Z]{2}$/.test(value), { error: 'Must be a two-letter country code, for example DE.' })
  .meta({ override: { type: 'string', pattern: '^[A-Za-z]{2}$' } });

export const settingsInput = z
  .object({
    /** G18: whether calls may carry their token in the query; the deprecated GET sends always may. */
    query_tokens: z
      .boolean({ error: 'Must be true or false.' })
      .meta({ description: 'Whether ?token= is accepted; if not, on deprecated GET sends alone.' }),
    /** A26: whether the provider or this platform rejects a message outside the customer service window. */
    window_policy: z
      .enum(['provider', 'enforce'], { error: 'Must be provider or enforce.' })
      .meta({ description: 'Outside the service window: provider lets the provider refuse a message, enforce refuses it at once.' }),
    /** A7: whether an unknown custom field is an error. */
    strict_fields: z
      .boolean({ error: 'Must be true or false.' })
      .meta({ description: 'Whether an unknown custom field of a contact is an error.' }),
    /** Whether a field that an operation does not know is an error. */
    strict_input: z
      .boolean({ error: 'Must be true or false.' })
      .meta({ description: 'Whether an unknown field in the body of a call is an error.' }),
    request_log: z.enum(['refused', 'all', 'none'], { error: 'Must be refused, all or none.' }).meta({
      description: 'Which calls of tokens are in the request log: those that were refused, all, or none.',
    }),
    request_bodies: z.boolean({ error: 'Must be true or false.' }).meta({
      description: 'Whether the request log has what calls sent and got, without secrets and up to 10,000 characters each.',
    }),
    /** A10 */
    subscribed_by_default: z.boolean({ error: 'Must be true or false.' }).meta({
      description: 'Whether new contacts are subscribed where the call that makes them, or their first message, says nothing of it.',
    }),
    /** Which answers give an unassigned conversation to the user who sends them. */
    assign_on_reply: z.enum(['none', 'sessions', 'all'], { error: 'Must be none, sessions or all.' }).meta({
      description:
        'Whether an unassigned conversation is assigned to the user who answers its contact: of no answer, of those from a browser, or of all, by token too.',
    }),
    /** A67: minutes before a task's due time at which its assignee is reminded. */
    task_reminder_minutes: z
      .int({ error: 'Must be a whole number.' })
      .min(0, { error: 'Must be 0 to 1440.' })
      .max(1_440, { error: 'Must be 0 to 1440.' })
      .meta({ description: 'Minutes before the due time of a task at which its assignee is reminded.' }),
    /** A67 */
    task_reminder_template_id: z
      .int({ error: 'Must be the id of a template.' })
      .positive({ error: 'Must be the id of a template.' })
      .nullable()
      .meta({ description: 'The approved UTILITY template of reminders to staff outside the service window; null: none.' }),
    retention_days: z
      .int({ error: 'Must be a whole number of days.' })
      .min(30, { error: 'Must be 30 to 3650.' })
      .max(3_650, { error: 'Must be 30 to 3650.' })
      .nullable()
      .meta({ description: 'Days after which messages and their files are deleted, for good; null: they are kept. 730 in a new company.' }),
    /** A2 */
    default_country: countryCode.nullable().meta({
      description: 'The country (DE) by which national phone numbers are read; null: they are refused.',
      override: { type: ['string', 'null'] },
    }),
  })
  .partial();

export const companyInput = z.object({
  name: text(100, 1),
  timezone: timezone.optional(),
  plan: planInput.optional(),
  settings: settingsInput.optional(),
});
export type CompanyInput = z.input<typeof companyInput>;
export const companyChanges = companyInput.partial();
export type CompanyChanges = z.input<typeof companyChanges>;
