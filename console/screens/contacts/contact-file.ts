import type { Contact, Message } from '../../../client/client.ts';
import { type Answer, api } from '../../data/client.ts';

/** Saves all that is known of a contact as one file: its record, consents, messages, notes, leads and orders. */
export const saveContact = async (contact: Contact): Promise<void> => {
  const params = { id: contact.id };
  const file = {
    contact: (await api.getContact({ params })).data,
    consents: await all((cursor) => api.listContactConsents({ params, query: { limit: 100, ...cursor } })),
    messages: await messagesOf(contact.id),
    notes: await all((cursor) => api.listContactNotes({ params, query: { limit: 100, ...cursor } })),
    leads: await all((cursor) => api.listLeads({ query: { contact_id: contact.id, limit: 100, ...cursor } })),
    orders:
      contact.phone === ''
        ? []
        : await all((cursor) => api.listOrders({ query: { customer_phone: contact.phone, limit: 100, ...cursor } })),
  };
  const blob = new Blob([JSON.stringify(file, undefined, 2)], { type: 'application/json' });
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: `contact-${contact.id}.json` }).click();
  URL.revokeObjectURL(address);
};

interface Page<T> {
  data: readonly T[];
  meta: { next_cursor: string | null };
}

/** Every record of a list, page by page. */
async function all<T>(list: (cursor: { cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<T> = await list(cursor === undefined ? {} : { cursor });
    found.push(...page.data);
    cursor = page.meta.next_cursor;
  }
  return found;
}

/** Every message of the conversation, newest first. */
async function messagesOf(id: number): Promise<Message[]> {
  const found: Message[] = [];
  for (let before_id: number | null | undefined; before_id !== null; ) {
    const query = { limit: 100, ...(before_id === undefined ? {} : { before_id }) };
    const page: Answer<'listConversationMessages'> = await api.listConversationMessages({ params: { id }, query });
    found.push(...page.data);
    before_id = page.meta.next_before_id;
  }
  return found;
}
