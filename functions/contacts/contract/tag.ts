import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

/** A tag in responses. */
export const tagRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the tag.' }),
    name: z.string().meta({ description: 'Name, unique ignoring case.' }),
    color: z.string().meta({ description: 'Colour as #RRGGBB.' }),
  })
  .meta({ id: 'Tag' });
export type TagRecord = z.output<typeof tagRecord>;

const name = text(50, 1).meta({ description: 'Name, unique in the company ignoring case.' });
const color = text(7)
  .regex(/^#[0-9A-Fa-f]{6}$/, { error: 'Must be a colour as #RRGGBB.' })
  .meta({ override: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$', description: 'Colour as #RRGGBB. Default: #6B7280.' } });

export const newTag = z.object({ name, color: color.optional() });
const tagChanges = z
  .object({ name: name.optional().meta({ description: 'New name.' }), color: color.optional() })
  .refine((given) => given.name !== undefined || given.color !== undefined, { error: 'Must have a name or a colour.', path: ['name'] });
export type NewTag = z.output<typeof newTag>;
export type TagChanges = z.output<typeof tagChanges>;

const params = z.object({ id: pathId.meta({ description: 'The id of the tag.' }) });
const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;

export const tagRoutes = {
  listTags: route({
    method: 'GET',
    path: '/api/v1/tags',
    summary: 'List tags',
    description: 'Lists all tags of the company, oldest first.',
    caller: reader,
    answers: { 200: success(z.array(tagRecord)) },
    errors: [],
  }),
  createTag: route({
    method: 'POST',
    path: '/api/v1/tags',
    summary: 'Create a tag',
    description: 'Creates a tag. Names are unique ignoring case; a company has at most 1,000 tags.',
    caller: writer,
    body: newTag.meta({ id: 'CreateTagRequest' }),
    answers: { 200: success(tagRecord) },
    refuses: ['taken', 'limit'],
    errors: ['validation_failed'],
  }),
  updateTag: route({
    method: 'PUT',
    path: '/api/v1/tags/{id}',
    summary: 'Update a tag',
    description: 'Changes the name or the colour of a tag.',
    caller: writer,
    params,
    body: tagChanges.meta({ id: 'UpdateTagRequest', minProperties: 1 }),
    answers: { 200: success(tagRecord) },
    refuses: ['taken'],
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
  deleteTag: route({
    method: 'DELETE',
    path: '/api/v1/tags/{id}',
    summary: 'Delete a tag',
    description: 'Deletes a tag. Its contacts are kept and lose the tag.',
    caller: writer,
    params,
    answers: { 200: deleted },
    errors: ['not_found', 'conflict'],
  }),
};
