import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { reader, writer } from './fields.ts';

/** What a team member wants to be told, and where (A69). */
export const preferenceRecord = z
  .object({
    work_number: z.string().nullable(),
    verification_status: z.enum(['none', 'pending', 'verified', 'expired']),
    verified_at: timestamp.nullable(),
    opted_in: z.boolean(),
    notify_tasks: z.boolean(),
  })
  .meta({ id: 'CrmPreferences' });
export type PreferenceRecord = z.output<typeof preferenceRecord>;

/** Only in the answer that enrols a number: the code is shown once. */
export const enrolledRecord = preferenceRecord.extend({
  verification: z
    .object({
      code: z.string().meta({ description: 'Eight digits; send them from the work number to `send_to` within ten minutes.' }),
      expires_at: timestamp,
      send_to: z.string(),
      wa_link: z.string(),
    })
    .optional(),
});
export type EnrolledRecord = z.output<typeof enrolledRecord>;

/** The whole preference: what is left out is off. */
export const preferenceBody = z.object({
  work_number: z.union([z.null(), text(40)], { error: 'Must be a phone number with country code, or null.' }),
  opted_in: jsonBoolean.default(false),
  notify_tasks: jsonBoolean.default(false),
});
export type PreferenceBody = z.output<typeof preferenceBody>;

const path = '/api/v1/crm/automation/preferences';

export const preferenceRoutes = {
  getPreferences: route({
    method: 'GET',
    path,
    summary: "The caller's notification preferences and work number",
    caller: reader,
    limit: 'crm',
    effect: 'read',
    answers: { 200: success(preferenceRecord) },
    errors: [],
  }),
  replacePreferences: route({
    method: 'PUT',
    path,
    summary: "Replace the caller's notification preferences; a new work number gets a code",
    caller: writer,
    limit: 'crm',
    effect: 'write',
    body: preferenceBody,
    answers: { 200: success(enrolledRecord) },
    errors: ['validation_failed', 'number_missing', 'enrolment_cooldown', 'conflict'],
  }),
};
