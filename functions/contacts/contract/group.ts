import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { looseBoolean, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

export const maxGroups = 500;
export const maxGroupNameChars = 100;

/** Groups of a request (A5): numbers are ids, strings are names, or ids that are the name of no group. */
export interface NamedGroups {
  ids: readonly number[];
  names: readonly string[];
}

/** A group in responses. */
export const groupRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the group.' }),
    name: z.string().meta({ description: 'Name, unique ignoring case.' }),
    contacts_count: z.int().meta({ description: 'Number of contacts in the group.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Group' });
export type GroupRecord = z.output<typeof groupRecord>;

const listedGroup = groupRecord
  .extend({
    contacts: z
      .array(
        z.object({
          id: z.int().meta({ description: 'The id of the contact.' }),
          name: z.string().nullable().meta({ description: 'Full name, or null.' }),
          phone: z.string().meta({ description: 'Digits with country code, no plus.' }),
        }),
      )
      .optional()
      .meta({ description: 'With showContacts=yes: the newest 100 contacts.' }),
    contacts_truncated: z
      .boolean()
      .optional()
      .meta({ description: 'With showContacts=yes: whether the group has more than 100 contacts.' }),
  })
  .meta({ id: 'ListedGroup' });
export type ListedGroup = z.output<typeof listedGroup>;

const groupBody = z.object({ name: text(maxGroupNameChars, 1).meta({ description: 'Name, unique in the company ignoring case.' }) });
const params = z.object({ id: pathId.meta({ description: 'The id of the group.' }) });
const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;

export const groupsQuery = paging(100, 100, {
  showContacts: looseBoolean
    .optional()
    .meta({ override: { type: 'string', example: 'yes', description: 'yes: list the newest 100 contacts of each group.' } }),
});
export type GroupsQuery = z.output<typeof groupsQuery>;

export const groupRoutes = {
  listGroups: route({
    method: 'GET',
    path: '/api/v1/groups',
    summary: 'List groups',
    description:
      'Lists groups, oldest first, with the number of contacts in each. showContacts=yes adds the newest 100 contacts of each group. Counts follow changes of contacts within about a second.',
    caller: reader,
    query: groupsQuery,
    answers: {
      200: success(
        z
          .object({
            current_page: z.int().meta({ description: 'The number of this page.' }),
            data: z.array(listedGroup).meta({ description: 'Groups, oldest first.' }),
            total: z.int().meta({ description: 'Number of groups of the company.' }),
            per_page: z.int().meta({ description: 'Page size.' }),
            last_page: z.int().meta({ description: 'The number of the last page.' }),
            next_cursor: z.string().nullable().meta({ description: 'Cursor of the next page; null on the last one.' }),
          })
          .meta({ id: 'GroupList' }),
      ),
    },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createGroup: route({
    method: 'POST',
    path: '/api/v1/groups',
    summary: 'Create a group',
    description: 'Creates a group. Names are unique ignoring case; a company has at most 500 groups.',
    caller: writer,
    body: groupBody.meta({ id: 'CreateGroupRequest' }),
    answers: { 200: success(groupRecord) },
    refuses: ['taken', 'limit'],
    errors: ['validation_failed'],
  }),
  updateGroup: route({
    method: 'PUT',
    path: '/api/v1/groups/{id}',
    summary: 'Rename a group',
    description: 'Renames a group.',
    caller: writer,
    params,
    body: groupBody.meta({ id: 'UpdateGroupRequest' }),
    answers: { 200: success(groupRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
  deleteGroup: route({
    method: 'DELETE',
    path: '/api/v1/groups/{id}',
    summary: 'Delete a group',
    description: 'Deletes a group. Its contacts are kept and leave the group.',
    caller: writer,
    params,
    answers: { 200: deleted },
    errors: ['not_found', 'conflict'],
  }),
};
