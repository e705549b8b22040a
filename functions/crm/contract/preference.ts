import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { reader, writer } from './fields.ts';

/** The notification preferences of a team member. */
export const preferenceRecord = z
  .object({
    work_number: z.string().nullable().meta({ description: 'The number that receives reminders, digits; null without one.' }),
    verification_status: z
      .enum(['none', 'pending', 'verified', 'expired'])
      .meta({ description: 'Whether the work number is verified: none, pending, verified or expired.' }),
    verified_at: timestamp.nullable().meta({ description: 'When the work number was verified, or null.' }),
    opted_in: z.boolean().meta({ description: 'Whether messages to the work number are allowed.' }),
    notify_tasks: z.boolean().meta({ description: 'Whether reminders of tasks are sent.' }),
  })
  .meta({ id: 'CrmPreferences' });
export type PreferenceRecord = z.output<typeof preferenceRecord>;

/** With the code, in the response that enrols a number: it is shown once. */
export const enrolledRecord = preferenceRecord.extend({
  verification: z
    .object({
      code: z.string().meta({ description: 'Eight digits; send them from the work number to `send_to` within ten minutes.' }),
      expires_at: timestamp.meta({ description: 'When the code expires.' }),
      send_to: z.string().meta({ description: 'The business number to send the code to.' }),
      wa_link: z.string().meta({ description: 'Opens WhatsApp with the code filled in.' }),
    })
    .optional(),
});
export type EnrolledRecord = z.output<typeof enrolledRecord>;

/** All preferences: a field that is not given is off. */
export const preferenceBody = z.object({
  work_number: z
    .union([z.null(), text(40)], { error: 'Must be a phone number with country code, or null.' })
    .meta({ description: 'The number that receives reminders, with country code; null removes it.' }),
  opted_in: jsonBoolean.default(false).meta({ description: 'Whether messages to the work number are allowed; default: false.' }),
  notify_tasks: jsonBoolean.default(false).meta({ description: 'Whether reminders of tasks are sent; default: false.' }),
});
export type PreferenceBody = z.output<typeof preferenceBody>;

const path = '/api/v1/crm/automation/preferences';

export const preferenceRoutes = {
  getPreferences: route({
    method: 'GET',
    path,
    summary: 'Get your notification preferences',
    description: 'The work number and notifications of the user that the token belongs to.',
    caller: reader,
    limit: 'crm',
    answers: { 200: success(preferenceRecord) },
    errors: [],
  }),
  replacePreferences: route({
    method: 'PUT',
    path,
    summary: 'Replace your notification preferences',
    description:
      'Fields that are not given are turned off. A new or unverified work number gets a code of eight digits in the response: send it by WhatsApp from that number to `send_to` within ten minutes.',
    caller: writer,
    limit: 'crm',
    body: preferenceBody.meta({ id: 'ReplacePreferencesRequest' }),
    answers: { 200: success(enrolledRecord) },
    errors: ['validation_failed', 'number_missing', 'enrolment_cooldown', 'conflict'],
    isOwnRecord: true,
    secret: true,
  }),
};
