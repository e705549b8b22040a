import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';

export const consentSources = ['keyword', 'provider', 'shop'] as const;

/** Published once per opt-out, whatever caused it. */
export const contactOptedOut = event({
  name: 'contact.opted_out',
  purpose: 'A contact opted out of all messages, or of marketing messages',
  detail: z.object({
    contact_id: z.int().meta({ description: 'The id of the contact.' }),
    scope: z.enum(['all', 'marketing']).meta({
      description:
        'all: unsubscribed by a keyword or through the API. marketing: the recipient stopped marketing messages at the provider.',
    }),
    source: z.string().meta({ description: 'What caused the opt-out: keyword, api, provider or shop.' }),
    at: timestamp.meta({ description: 'When the contact opted out.' }),
  }),
});
