import type { Request } from '../../shared/contract/route.ts';
import { answer, listed, ok, removed, unlessRefused } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { bulkRoutes } from './contract/bulk.ts';
import { contactRoutes } from './contract/contact.ts';
import { fieldRoutes } from './contract/field.ts';
import { groupRoutes } from './contract/group.ts';
import { phoneCheckRoutes } from './contract/phone-check.ts';
import { preflightRoutes } from './contract/preflight.ts';
import { tagRoutes } from './contract/tag.ts';
import { allCountries } from './domain/country.ts';
import { deleteContact, getContact, getGroupsAndFields, replaceContact, upsertContact } from './service.ts';
import { bulkSync } from './service/bulk.ts';
import { addField, allFields, changeField, removeField } from './service/fields.ts';
import { addGroup, changeGroup, listGroupsPage, removeGroup } from './service/groups.ts';
import { type ContactsPage, listContacts } from './service/listing.ts';
import { checkPhone } from './service/phone-check.ts';
import { preflightGroup } from './service/preflight.ts';
import { addTag, allTags, changeTag, removeTag } from './service/tags.ts';

const routes = { ...contactRoutes, ...bulkRoutes, ...groupRoutes, ...tagRoutes, ...fieldRoutes, ...phoneCheckRoutes, ...preflightRoutes };

export const handler = serve(routes, {
  listContacts: async (request) =>
    unlessRefused(await listContacts(request.caller.companyId, request.query), (page) =>
      listedContacts(request, page, request.query.updateFrom === undefined ? 'Contacts, newest first.' : 'Contacts, oldest change first.'),
    ),

  createContact: async ({ caller, body }) =>
    unlessRefused(await upsertContact(caller.companyId, body), (contact) =>
      ok(contact, contact.created ? 'The contact was created.' : 'The contact was updated.'),
    ),

  getContact: async ({ caller, params }) =>
    unlessRefused(await getContact(caller.companyId, params.id), (contact) => ok(contact, 'The contact.')),

  replaceContact: async ({ caller, params, body }) =>
    unlessRefused(await replaceContact(caller.companyId, params.id, body), (contact) => ok(contact, 'The contact was replaced.')),

  deleteContact: async ({ caller, params }) =>
    unlessRefused(await deleteContact(caller.companyId, params.id), ({ id }) => removed(id, 'The contact was deleted.')),

  getGroupsAndFields: async ({ caller, params }) =>
    unlessRefused(await getGroupsAndFields(caller.companyId, params.id), (held) => ok(held, 'Groups and fields of the contact.')),

  listCountries: async () => ok(allCountries(), 'Countries by name.'),

  bulkSyncContacts: async ({ caller, operationId, body }) =>
    unlessRefused(await bulkSync(caller.companyId, operationId, body), (synced) =>
      ok(synced, `${synced.synced_count} contacts were synced.`),
    ),

  listGroups: async ({ caller, query }) =>
    unlessRefused(await listGroupsPage(caller.companyId, query), (groups) => ok(groups, 'Groups, oldest first.')),

  createGroup: async ({ caller, body }) =>
    unlessRefused(await addGroup(caller.companyId, body.name), (group) => ok(group, 'The group was created.')),

  updateGroup: async ({ caller, params, body }) =>
    unlessRefused(await changeGroup(caller.companyId, params.id, body.name), (group) => ok(group, 'The group was renamed.')),

  deleteGroup: async ({ caller, params }) =>
    unlessRefused(await removeGroup(caller.companyId, params.id), ({ id }) => removed(id, 'The group was deleted; its contacts stay.')),

  listTags: async ({ caller }) => ok(await allTags(caller.companyId), 'All tags.'),

  createTag: async ({ caller, body }) => unlessRefused(await addTag(caller.companyId, body), (tag) => ok(tag, 'The tag was created.')),

  updateTag: async ({ caller, params, body }) =>
    unlessRefused(await changeTag(caller.companyId, params.id, body), (tag) => ok(tag, 'The tag was changed.')),

  deleteTag: async ({ caller, params }) =>
    unlessRefused(await removeTag(caller.companyId, params.id), ({ id }) => removed(id, 'The tag was deleted; its contacts stay.')),

  listFields: async ({ caller }) => ok(await allFields(caller.companyId), 'Custom fields, by position.'),

  createField: async ({ caller, body }) =>
    unlessRefused(await addField(caller.companyId, body), (field) => ok(field, 'The custom field was defined.')),

  updateField: async ({ caller, params, body }) =>
    unlessRefused(await changeField(caller.companyId, params.id, body), (field) => ok(field, 'The custom field was changed.')),

  deleteField: async ({ caller, params }) =>
    unlessRefused(await removeField(caller.companyId, params.id), ({ id }) => removed(id, 'The custom field was deleted; values stay.')),

  checkPhone: async ({ caller, body }) =>
    unlessRefused(await checkPhone(caller.companyId, body), (check) =>
      check.check_status === 'pending'
        ? answer(202, { status: 'success' as const, message: 'A message will tell; ask again later.', data: check })
        : ok(check, 'What is known of the phone.'),
    ),

  preflightGroup: async ({ caller, params }) =>
    unlessRefused(await preflightGroup(caller.companyId, params.id), (counts) => ok(counts, 'Nothing was sent.')),

  checkGroupPhones: async ({ caller, params }) =>
    unlessRefused(await preflightGroup(caller.companyId, params.id), (counts) => ok(counts, 'Nothing was sent.')),
});

/** Of a walk with stops, no page has a number but the first ones: what follows is reached by the cursor. */
function listedContacts(request: Pick<Request, 'url' | 'rawQuery'>, page: ContactsPage, message: string) {
  const { status, body } = listed(request, page, message);
  if (!page.isPartial) return { status, body };
  return {
    status,
    body: { ...body, links: { ...body.links, last: null, next: null }, meta: { ...body.meta, total_is_partial: true as const } },
  };
}
