import type { ContactsInput } from '../contract/send-contacts.ts';
import { composeContacts } from '../domain/compose-contacts.ts';
import { sendContent } from './send-content.ts';
import type { OperationContext } from './send-request.ts';

/** Sends cards of people or companies: now, or at its scheduled time. */
export const sendContacts = (companyId: number, input: ContactsInput, operation: OperationContext): ReturnType<typeof sendContent> =>
  sendContent(companyId, input, composeContacts(input), operation);
