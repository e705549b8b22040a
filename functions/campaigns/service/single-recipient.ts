import type { Principal } from '../../../shared/contract/route.ts';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { BusinessNumber } from '../../account/service/numbers.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import { getLiveContacts } from '../../contacts/service/audience.ts';
import { ensureContact } from '../../contacts/service/contacts.ts';
import { uploadStoredFile } from '../../media/service/files.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import type { MessageContent } from '../../messaging/contract/content.ts';
import { recipientAddressOf } from '../../messaging/service/campaign-recipients.ts';
import { createAccepted, senderOf } from '../../messaging/service/create-outbound.ts';
import type { SpendProblem } from '../../messaging/service/charged-slot.ts';
import { tariffOf } from '../../templates/contract/max-price.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import { exclusionReasonOfContact } from './eligibility.ts';

/** The one recipient of a call, and a test to it: a message of its own, which no counter of a campaign sees. */

export interface SendContext {
  operationId: string;
  startedAt: number;
  caller: Principal;
  admit: () => Promise<Problem<'rate_limited'> | undefined>;
}

/** The contact of a request: by its phone, where it may be new, or by its id. */
export async function recipientOf(
  companyId: number,
  phone: string | undefined,
  contactId: number | undefined,
): Promise<Contact | Problem<'plan_limit_reached' | 'validation_failed'>> {
  if (phone !== undefined) {
    const ensured = await ensureContact(companyId, { phone, source: 'api' });
    return isProblem(ensured) ? ensured : ensured.contact;
  }
  const id = contactId ?? 0;
  return (await getLiveContacts(companyId, [id])).get(id) ?? invalid('contact_id', 'There is no such contact.');
}

/** The file as the provider knows it: a campaign that has not started yet has not uploaded it. */
export async function testMedia(number: BusinessNumber, media: StoredMedia): Promise<StoredMedia | 'unavailable' | 'refused'> {
  if (media.providerId !== undefined) return media;
  const given = await uploadStoredFile(number, media);
  if (given === undefined) return 'unavailable';
  return typeof given === 'string' ? { ...media, providerId: given } : 'refused';
}

/** Why the contact gets no message of this template now; undefined: it does. `field` named the contact. */
export const recipientProblem = (
  contact: Contact,
  template: StoredTemplate,
  field: 'phone' | 'contact_id',
): Problem<'validation_failed' | 'recipient_blocked' | 'recipient_opted_out'> | undefined => {
  const { id: contact_id, subscribed, marketingBlocked: marketing_blocked } = contact;
  switch (exclusionReasonOfContact(contact, template, now())) {
    case undefined:
      return undefined;
    case 'not_on_whatsapp':
      return invalid(field, 'Is known not to be on WhatsApp.');
    case 'invalid_phone':
      return invalid(field, 'The phone of the contact is not valid.');
    case 'needs_phone':
      return invalid(field, 'The contact has no phone, and a template of authentication, or with a max price, goes to phones alone.');
    case 'blocked':
      return problem('recipient_blocked', { details: { contact_id } });
    default:
      return problem('recipient_opted_out', { details: { contact_id, subscribed, marketing_blocked } });
  }
};

interface TestMessage {
  contact: Contact;
  number: { id: number };
  template: StoredTemplate;
  content: MessageContent;
}

/** Due at once, and sent by the worker that sends scheduled messages. Taken from the ceiling of the call's token, as a direct send is. */
export async function createTestMessage(
  { contact, number, template, content }: TestMessage,
  { operationId, startedAt, caller }: SendContext,
): Promise<number | SpendProblem> {
  const created = await createAccepted(
    {
      companyId: contact.companyId,
      contactId: contact.id,
      ...recipientAddressOf(contact),
      numberId: number.id,
      content,
      template: { name: template.name, language: template.language },
      sentBy: senderOf(caller),
      owner: { operationId },
      idTimeMs: startedAt,
      createdAt: startedAt,
      state: { dueAt: now() },
    },
    { caller, tariff: tariffOf(template) },
  );
  return isProblem(created) ? created : created.message.id;
}
