import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { looseBoolean, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { maxGroupNameChars } from '../domain/group.ts';

/** A group on the wire (1§2). */
export const groupRecord = z
  .object({
    id: z.int(),
    name: z.string(),
    contacts_count: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Group' });
export type GroupRecord = z.output<typeof groupRecord>;

const listedGroup = groupRecord.extend({
  contacts: z
    .array(z.object({ id: z.int(), name: z.string().nullable(), phone: z.string() }))
    .optional()
    .meta({ description: 'With showContacts=yes: the newest 100.' }),
  contacts_truncated: z.boolean().optional(),
});
export type ListedGroup = z.output<typeof listedGroup>;

const groupBody = z.object({ name: text(maxGroupNameChars, 1) });
const params = z.object({ id: pathId });
const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;

export const groupsQuery = paging(100, 100, {
  showContacts: looseBoolean.optional().meta({ override: { type: 'string', example: 'yes' } }),
});
export type GroupsQuery = z.output<typeof groupsQuery>;

export const groupRoutes = {
  listGroups: route({
    method: 'GET',
    path: '/api/v1/groups',
    summary: 'List groups with how many contacts each has',
    caller: reader,
    limit: 'read',
    effect: 'read',
    query: groupsQuery,
    answers: {
      200: success(
        z.object({
          current_page: z.int(),
          data: z.array(listedGroup),
          total: z.int(),
          per_page: z.int(),
          last_page: z.int(),
          next_cursor: z.string().nullable(),
        }),
      ),
    },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createGroup: route({
    method: 'POST',
    path: '/api/v1/groups',
    summary: 'Create a group',
    caller: writer,
    limit: 'write',
    effect: 'write',
    body: groupBody,
    answers: { 200: success(groupRecord) },
    errors: ['validation_failed'],
  }),
  updateGroup: route({
    method: 'PUT',
    path: '/api/v1/groups/{id}',
    summary: 'Rename a group',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    body: groupBody,
    answers: { 200: success(groupRecord) },
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
  deleteGroup: route({
    method: 'DELETE',
    path: '/api/v1/groups/{id}',
    summary: 'Delete a group; its contacts stay, without it',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    answers: { 200: deleted },
    errors: ['not_found', 'conflict'],
  }),
};
