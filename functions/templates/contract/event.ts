import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';

export const templateStatus = event({
  name: 'template.status',
  purpose: 'The status of a template changed: approved, rejected, paused, deleted ...',
  detail: z.object({
    template_id: z.int().meta({ description: 'The id of the template.' }),
    name: z.string().meta({ description: 'The name of the template.' }),
    language: z.string().meta({ description: 'The language of the template, as `en_US`.' }),
    category: z.string().meta({ description: 'MARKETING, UTILITY or AUTHENTICATION.' }),
    status: z.string().meta({ description: 'The status now, as in listTemplates.' }),
    previous_status: z.string().meta({ description: 'The status before.' }),
    rejected_reason: z.string().nullable().meta({ description: 'Why the provider rejected the template; null otherwise.' }),
    at: timestamp.meta({ description: 'When the status changed.' }),
  }),
});
