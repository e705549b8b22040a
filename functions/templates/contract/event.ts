import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';

/** A category that the provider announced. */
export const upcomingCategory = z
  .object({
    category: z.string().meta({ description: 'The new category.' }),
    at: timestamp.nullable().meta({ description: 'From when it counts; null when the provider gave no time.' }),
  })
  .meta({ id: 'UpcomingCategory' })
  .nullable()
  .meta({ description: 'A change of category that the provider announced; null otherwise.' });

const templateFields = {
  template_id: z.int().meta({ description: 'The id of the template.' }),
  name: z.string().meta({ description: 'The name of the template.' }),
  language: z.string().meta({ description: 'The language of the template, as `en_US`.' }),
};

export const templateUpdated = event({
  name: 'template.updated',
  purpose: 'The provider changed the category or quality of a template, or announced that it will',
  log: ({ template_id: id }) => ({ subject: `template:${id}`, by: { kind: 'provider' } }),
  detail: z.object({
    ...templateFields,
    waba_id: z.string().nullable().meta({ description: 'The business account (WABA) that it belongs to; null when not known.' }),
    status: z.string().meta({ description: 'The status, as in listTemplates.' }),
    category: z.string().meta({ description: 'The category now: MARKETING, UTILITY or AUTHENTICATION.' }),
    previous_category: z.string().meta({ description: 'The category before: the same where something else changed.' }),
    upcoming_category: upcomingCategory,
    quality_score: z.string().nullable().meta({ description: 'GREEN, YELLOW, RED or UNKNOWN; null until the provider rated it.' }),
    disable_date: timestamp.nullable().meta({ description: 'When the provider will disable it for its quality; null otherwise.' }),
    at: timestamp.meta({ description: 'When it changed.' }),
  }),
});

export const templateStatus = event({
  name: 'template.status',
  purpose: 'The status of a template changed: approved, rejected, paused, deleted ...',
  log: ({ template_id: id }) => ({ subject: `template:${id}`, by: { kind: 'provider' } }),
  detail: z.object({
    ...templateFields,
    category: z.string().meta({ description: 'MARKETING, UTILITY or AUTHENTICATION.' }),
    status: z.string().meta({ description: 'The status now, as in listTemplates.' }),
    previous_status: z.string().meta({ description: 'The status before.' }),
    rejected_reason: z.string().nullable().meta({ description: 'Why the provider rejected the template; null otherwise.' }),
    at: timestamp.meta({ description: 'When the status changed.' }),
  }),
});
