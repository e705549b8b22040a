import type { Request } from '../../../shared/contract/route.ts';
import { okPage, ok, okByCursor, okDeleted, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { bulkRoutes } from '../contract/bulk.ts';
import { contactRoutes } from '../contract/contact.ts';
import { deleteContact, getContact, getGroupsAndFields, replaceContact, createContact, updateContact } from '../service/contacts.ts';
import { bulkSyncContacts } from '../service/bulk-sync-contacts.ts';
import { listContactConsents } from '../service/consent.ts';
import { listCountries } from '../service/countries.ts';
import { mergeContacts } from '../service/merge-contacts.ts';
import { type ContactsPage, listContacts } from '../service/list-contacts.ts';

export const handler = serve(
  { ...contactRoutes, ...bulkRoutes },
  {
    listContacts: async (request) =>
      mapOk(await listContacts(request.caller.companyId, request.query), (page) =>
        listedContacts(
          request,
          page,
          request.query.updateFrom === undefined ? 'Contacts, newest first.' : 'Contacts, oldest change first.',
        ),
      ),

    createContact: async ({ caller, body }) =>
      mapOk(await createContact(caller.companyId, body), (contact) =>
        ok(contact, contact.created ? 'The contact was created.' : 'The contact was updated.'),
      ),

    getContact: async ({ caller, params }) =>
      mapOk(await getContact(caller.companyId, params.id), (contact) => ok(contact, 'The contact.')),

    replaceContact: async ({ caller, params, body }) =>
      mapOk(await replaceContact(caller.companyId, params.id, body), (contact) => ok(contact, 'The contact was replaced.')),

    updateContact: async ({ caller, params, body }) =>
      mapOk(await updateContact(caller.companyId, params.id, body), (contact) => ok(contact, 'The contact was changed.')),

    mergeContacts: async ({ caller, params, body }) =>
      mapOk(await mergeContacts(caller.companyId, params.id, body), (contact) => ok(contact, 'The contacts were merged.')),

    listContactConsents: async ({ caller, params, query }) =>
      mapOk(await listContactConsents(caller.companyId, params.id, query), (page) => okByCursor(page, 'Changes of consent, newest first.')),

    deleteContact: async ({ caller, params }) =>
      mapOk(await deleteContact(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The contact was deleted.')),

    getGroupsAndFields: async ({ caller, params }) =>
      mapOk(await getGroupsAndFields(caller.companyId, params.id), (held) => ok(held, 'Groups and fields of the contact.')),

    listCountries: async () => ok(listCountries(), 'Countries by name.'),

    bulkSyncContacts: async ({ caller, operationId, body }) =>
      mapOk(await bulkSyncContacts(caller.companyId, operationId, body), (synced) =>
        ok(synced, `${synced.synced_count} contacts were synced.`),
      ),
  },
);

/** A partial scan has no page numbers, so links name neither a last nor a next page; only the cursor continues. */
function listedContacts(request: Pick<Request, 'url' | 'rawQuery'>, page: ContactsPage, message: string) {
  const { status, body } = okPage(request, page, message);
  if (!page.isPartial) return { status, body };
  return {
    status,
    body: { ...body, links: { ...body.links, last: null, next: null }, meta: { ...body.meta, total_is_partial: true as const } },
  };
}
