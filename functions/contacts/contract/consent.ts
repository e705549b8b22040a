import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';

export const consentSources = ['keyword', 'provider'] as const;

/** Decision A53. */
export const contactOptedOut = event({
  name: 'contact.opted_out',
  purpose: 'A person does not want to be written to any more',
  detail: z.object({
    contact_id: z.int(),
    /** `all`: unsubscribed, by a word, an API call or a person of the company; `marketing`: stopped at the provider. */
    scope: z.enum(['all', 'marketing']),
    source: z.string(),
    at: timestamp,
  }),
});
