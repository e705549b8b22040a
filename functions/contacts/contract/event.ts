import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { feedEvent } from '../../../shared/contract/logged-event.ts';

const about = {
  contact_id: z.int().meta({ description: 'The id of the contact.' }),
  by: z
    .int()
    .nullable()
    .meta({ description: 'The user who did it in the console; null: a token, a job, an import, the customer or the product itself.' }),
  at: timestamp.meta({ description: 'When it happened.' }),
};

const aboutContact = z.object(about).meta({ id: 'ContactEventData' });

/** Only what a user did in the console: it is shown to colleagues at once, and is as rare as people are slow. */
const log = ({ contact_id: id, by }: { contact_id: number; by: number | null }) =>
  by === null ? undefined : ({ subject: `contact:${id}`, by: { kind: 'user', userId: by } } as const);

/** The parts of a contact that a change is reported of, as responses call them. */
export const changedParts = [
  'phone',
  'user_id',
  'username',
  'name',
  'email',
  'city',
  'country',
  'company',
  'subscribed',
  'enabled_ai_bot',
  'is_on_whatsapp',
  'marketing_blocked',
  'blocked',
  'groups',
  'tags',
  'custom',
] as const;

export const contactCreated = event({
  name: 'contact.created',
  purpose: 'A contact was created or restored',
  log,
  detail: aboutContact,
});

export const contactUpdated = event({
  name: 'contact.updated',
  purpose: 'A contact changed',
  log,
  detail: z
    .object({ ...about, changed: z.array(z.enum(changedParts)).meta({ description: 'What of it changed.' }) })
    .meta({ id: 'ContactUpdatedEventData' }),
});

export const contactDeleted = event({
  name: 'contact.deleted',
  purpose: 'A contact was deleted or erased',
  log,
  detail: aboutContact,
});

const contactId = z.int().meta({ description: 'The id of the contact.' });

export const contactBlockChanged = feedEvent({
  types: ['contact.blocked', 'contact.unblocked'],
  name: 'contact.block_changed',
  purpose: 'A contact was blocked, or is no longer',
  data: z.object({ contact_id: contactId }),
});

export const contactMerged = feedEvent({
  types: ['contact.merged'],
  purpose: 'A contact became part of another one',
  data: z.object({ contact_id: contactId, merged_contact_id: z.int().meta({ description: 'The contact that became part of it.' }) }),
});
