import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { safeNumber, jsonBoolean, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { fieldKeyPattern, fieldTypes, maxValueChars } from './custom-value.ts';

const customValue = z.union([z.string(), z.number(), z.boolean()]);

/** The definition of a custom field in responses (A18). */
export const fieldRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the custom field.' }),
    key: z.string().meta({ description: 'Key of the field in custom values.' }),
    name: z.string().meta({ description: 'Display name.' }),
    type: z.enum(fieldTypes).meta({ description: 'Type of the values.' }),
    options: z.array(z.string()).meta({ description: 'Allowed values of a select field; empty for other types.' }),
    required: z.boolean().meta({ description: 'Whether contacts must have a value.' }),
    default_value: customValue.nullable().meta({ description: 'Value of new contacts that give none, or null.' }),
    position: z.int().meta({ description: 'Sort position.' }),
    is_active: z.boolean().meta({ description: 'false: the field accepts no new values.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ContactField' });
export type FieldRecord = z.output<typeof fieldRecord>;

const type = z.enum(fieldTypes, { error: `Must be one of: ${fieldTypes.join(', ')}.` });
const options = z.array(text(100, 1), { error: 'Must be a list of strings.' }).max(200, { error: 'Must have at most 200 options.' });
const definitionFields = {
  name: text(100, 1).optional().meta({ description: 'Display name. Default: the key.' }),
  options: options.optional().meta({ description: 'Allowed values, required for type select and only for it.' }),
  required: jsonBoolean.optional().meta({ description: 'Whether contacts must have a value. Default: false.' }),
  default_value: z
    .union([text(maxValueChars), safeNumber, z.boolean(), z.null()], { error: 'Must be a string, a number, true, false or null.' })
    .optional()
    .meta({ description: 'Value of new contacts that give none; null for none.' }),
  position: wholeNumber(0, 1_000_000).optional().meta({ description: 'Sort position. Default: after the existing fields.' }),
  is_active: jsonBoolean.optional().meta({ description: 'false: the field accepts no new values. Default: true.' }),
};
const newField = z.object({
  key: text(50, 1)
    .regex(fieldKeyPattern, {
      error: 'A key begins with a letter and has at most 50 letters, digits, spaces and underscores.',
    })
    .meta({ description: 'Key of the field, unique and unchangeable: a letter, then letters, digits, spaces and underscores.' }),
  type: type.optional().meta({ description: 'Type of the values. Default: text.' }),
  ...definitionFields,
});
const fieldChanges = z.object({
  type: type.optional().meta({ description: 'Type of values set from now on; stored values stay.' }),
  ...definitionFields,
});
export type NewField = z.output<typeof newField>;
export type FieldChanges = z.output<typeof fieldChanges>;

const params = z.object({ id: pathId.meta({ description: 'The id of the custom field.' }) });
const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'admin' } as const;

export const fieldRoutes = {
  listFields: route({
    method: 'GET',
    path: '/api/v1/fields',
    summary: 'List custom fields',
    description: 'Lists the definitions of all custom fields, sorted by position.',
    caller: reader,
    answers: { 200: success(z.array(fieldRecord)) },
    errors: [],
  }),
  createField: route({
    method: 'POST',
    path: '/api/v1/fields',
    summary: 'Create a custom field',
    description:
      'Creates a custom field for contacts. A company has at most 100. Unknown keys in a contact create text fields too, unless the company setting strict_fields is on.',
    caller: writer,
    body: newField.meta({ id: 'CreateFieldRequest' }),
    answers: { 200: success(fieldRecord) },
    refuses: ['combination', 'size', 'taken', 'limit'],
    errors: ['validation_failed'],
  }),
  updateField: route({
    method: 'PUT',
    path: '/api/v1/fields/{id}',
    summary: 'Update a custom field',
    description: 'Updates a custom field. A new type applies to values set from now on; stored values stay unchanged.',
    caller: writer,
    params,
    body: fieldChanges.meta({ id: 'UpdateFieldRequest' }),
    answers: { 200: success(fieldRecord) },
    refuses: ['combination', 'size', 'taken'],
    errors: ['validation_failed', 'not_found'],
  }),
  deleteField: route({
    method: 'DELETE',
    path: '/api/v1/fields/{id}',
    summary: 'Delete a custom field',
    description: 'Deletes the definition of a custom field. Stored values of contacts stay.',
    caller: writer,
    params,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
