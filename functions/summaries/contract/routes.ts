import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { jsonBoolean, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { summaryLanguages } from './stored.ts';

const language = z.enum(summaryLanguages, { error: `Must be one of ${summaryLanguages.join(', ')}.` });

const weeklySummary = z
  .object({
    enabled: z.boolean().meta({ description: 'Whether you get the weekly summary.' }),
    language: language.meta({ description: 'The language of the email.' }),
    email: z.string().meta({ description: 'Where it goes: the email address you sign in with.' }),
    email_confirmed: z
      .boolean()
      .meta({ description: 'Whether you have signed in by a code sent to this address; no summary goes to one that is not confirmed.' }),
    next_at: timestamp.nullable().meta({ description: 'When the next one is due, or null.' }),
  })
  .meta({ id: 'WeeklySummary', description: "A user's choice of the weekly summary by email." });
export type WeeklySummaryRecord = z.output<typeof weeklySummary>;

export const weeklySummaryBody = z.object({
  enabled: jsonBoolean.meta({ description: 'Whether you get the weekly summary.' }),
  language: language.optional().meta({ description: 'The language of the email; by default as it is, at first `en`.' }),
});
export type WeeklySummaryBody = z.output<typeof weeklySummaryBody>;

const path = '/api/v1/me/weekly-summary';
/** As of passkeys: what every user decides for themselves. */
const caller = { kind: 'token', scope: 'profile:read', role: 'viewer' } as const;

export const summaryRoutes = {
  getWeeklySummary: route({
    method: 'GET',
    path,
    summary: 'Get whether you get the weekly summary',
    description: 'The choice of the user that the token belongs to. No one has the summary who did not choose it.',
    caller,
    answers: { 200: success(weeklySummary) },
    errors: [],
  }),
  setWeeklySummary: route({
    method: 'PUT',
    path,
    summary: 'Switch the weekly summary on or off',
    description:
      "On Mondays from 08:00 in the company's time zone, and not before the UTC week has ended, an email has the figures of the seven UTC days that ended: messages, answers, campaigns, verifications and what they cost, beside the week before. It goes to the user of the token alone, holds no data of contacts, and is left out after a week in which nothing happened.",
    caller,
    body: weeklySummaryBody.meta({ id: 'SetWeeklySummaryRequest' }),
    unknownFields: 'refuse',
    isOwnRecord: true,
    answers: { 200: success(weeklySummary) },
    errors: ['validation_failed'],
  }),
};
