import { ok, okDeleted, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { fieldRoutes } from '../contract/field.ts';
import { groupRoutes } from '../contract/group.ts';
import { segmentRoutes } from '../contract/segment.ts';
import { tagRoutes } from '../contract/tag.ts';
import { createField, listFields, updateField, deleteField } from '../service/fields.ts';
import { createGroup, updateGroup, listGroups, deleteGroup } from '../service/groups.ts';
import { createSegment, deleteSegment, listSegments, updateSegment } from '../service/segments.ts';
import { createTag, listTags, updateTag, deleteTag } from '../service/tags.ts';

export const handler = serve(
  { ...groupRoutes, ...tagRoutes, ...fieldRoutes, ...segmentRoutes },
  {
    listGroups: async ({ caller, query }) =>
      mapOk(await listGroups(caller.companyId, query), (groups) => ok(groups, 'Groups, oldest first.')),

    createGroup: async ({ caller, body }) =>
      mapOk(await createGroup(caller.companyId, body.name), (group) => ok(group, 'The group was created.')),

    updateGroup: async ({ caller, params, body }) =>
      mapOk(await updateGroup(caller.companyId, params.id, body.name), (group) => ok(group, 'The group was renamed.')),

    deleteGroup: async ({ caller, params }) =>
      mapOk(await deleteGroup(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The group was deleted; its contacts were kept.')),

    listTags: async ({ caller }) => ok(await listTags(caller.companyId), 'All tags.'),

    createTag: async ({ caller, body }) => mapOk(await createTag(caller.companyId, body), (tag) => ok(tag, 'The tag was created.')),

    updateTag: async ({ caller, params, body }) =>
      mapOk(await updateTag(caller.companyId, params.id, body), (tag) => ok(tag, 'The tag was updated.')),

    deleteTag: async ({ caller, params }) =>
      mapOk(await deleteTag(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The tag was deleted; its contacts were kept.')),

    listSegments: async ({ caller }) => ok(await listSegments(caller.companyId), 'All segments.'),

    createSegment: async ({ caller, body, once }) =>
      mapOk(await createSegment(caller.companyId, body, once), (segment) => ok(segment, 'The segment was created.')),

    updateSegment: async ({ caller, params, body }) =>
      mapOk(await updateSegment(caller.companyId, params.id, body), (segment) => ok(segment, 'The segment was replaced.')),

    deleteSegment: async ({ caller, params }) =>
      mapOk(await deleteSegment(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The segment was deleted.')),

    listFields: async ({ caller }) => ok(await listFields(caller.companyId), 'Custom fields, by position.'),

    createField: async ({ caller, body }) =>
      mapOk(await createField(caller.companyId, body), (field) => ok(field, 'The custom field was created.')),

    updateField: async ({ caller, params, body }) =>
      mapOk(await updateField(caller.companyId, params.id, body), (field) => ok(field, 'The custom field was updated.')),

    deleteField: async ({ caller, params }) =>
      mapOk(await deleteField(caller.companyId, params.id), ({ id }) =>
        okDeleted(id, 'The custom field was deleted; the values of contacts were kept.'),
      ),
  },
);
