import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';

export const templateStatus = event({
  name: 'template.status',
  purpose: 'A template moved: approved, rejected, paused, gone',
  detail: z.object({
    template_id: z.int(),
    name: z.string(),
    language: z.string(),
    category: z.string(),
    status: z.string(),
    previous_status: z.string(),
    rejected_reason: z.string().nullable(),
    at: timestamp,
  }),
});
