import * as z from 'zod';
import { projectionTarget } from '../../../shared/events/react.ts';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';

/** Where a change of consent came from. */
export const shownConsentSources = ['api', 'import', 'keyword', 'provider', 'shop'] as const;

export const consentSources = ['keyword', 'provider', 'shop'] as const;

export const consentRecord = z
  .object({
    scope: z
      .enum(['all', 'marketing'])
      .meta({ description: 'all: campaigns of the company. marketing: marketing messages, set at the provider.' }),
    subscribed: z.boolean().meta({ description: 'Whether the contact accepts messages of the scope since then.' }),
    source: z.enum(shownConsentSources).meta({ description: 'What changed it: keyword, provider, shop, import or api.' }),
    evidence: z.string().nullable().meta({ description: 'The proof: id of the message, or the notice of the provider or shop; or null.' }),
    at: timestamp.meta({ description: 'When it changed.' }),
  })
  .meta({ id: 'ContactConsent', description: 'A change of consent.' });
export type ConsentRecord = z.output<typeof consentRecord>;

/** A change of consent that came with a contact's own write, through the API, an import or at its creation. */
export const storedConsentChange = z.object({
  companyId: z.int(),
  contactId: z.int(),
  /** Its time and direction. */
  k: z.string(),
  wanted: z.boolean(),
  source: z.enum(shownConsentSources),
  at: z.int(),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});
export type StoredConsentChange = z.output<typeof storedConsentChange>;
export const consentChangeEntityName = 'consent-change';
export const consentChangeTarget = projectionTarget<{ companyId: number; contactId: number; k: string }, StoredConsentChange>(
  consentChangeEntityName,
);

/** Published once per opt-out, whatever caused it. */
export const contactOptedOut = event({
  name: 'contact.opted_out',
  purpose: 'A contact opted out of all messages, or of marketing messages',
  log: ({ contact_id: id, source }) => ({ subject: `contact:${id}`, by: { kind: source === 'api' ? 'token' : 'customer' } }),
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
