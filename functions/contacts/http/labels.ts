import { ok, removed, unlessRefused } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { fieldRoutes } from '../contract/field.ts';
import { groupRoutes } from '../contract/group.ts';
import { tagRoutes } from '../contract/tag.ts';
import { addField, allFields, changeField, removeField } from '../service/fields.ts';
import { addGroup, changeGroup, listGroupsPage, removeGroup } from '../service/groups.ts';
import { addTag, allTags, changeTag, removeTag } from '../service/tags.ts';

export const handler = serve(
  { ...groupRoutes, ...tagRoutes, ...fieldRoutes },
  {
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
  },
);
