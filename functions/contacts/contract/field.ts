import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { safeNumber, jsonBoolean, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { fieldKeyPattern, fieldTypes, maxValueChars } from '../domain/field.ts';

const customValue = z.union([z.string(), z.number(), z.boolean()]);

/** The definition of a custom field on the wire (A18). */
export const fieldRecord = z
  .object({
    id: z.int(),
    key: z.string(),
    name: z.string(),
    type: z.enum(fieldTypes),
    options: z.array(z.string()),
    required: z.boolean(),
    default_value: customValue.nullable(),
    position: z.int(),
    is_active: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ContactField' });
export type FieldRecord = z.output<typeof fieldRecord>;

const type = z.enum(fieldTypes, { error: `Must be one of: ${fieldTypes.join(', ')}.` });
const options = z.array(text(100, 1), { error: 'Must be a list of texts.' }).max(200, { error: 'Must have at most 200 options.' });
const definitionFields = {
  name: text(100, 1).optional(),
  options: options.optional(),
  required: jsonBoolean.optional(),
  default_value: z
    .union([text(maxValueChars), safeNumber, z.boolean(), z.null()], { error: 'Must be a text, a number, true, false or null.' })
    .optional(),
  position: wholeNumber(0, 1_000_000).optional(),
  is_active: jsonBoolean.optional(),
};
const newField = z.object({
  key: text(50, 1).regex(fieldKeyPattern, {
    error: 'A key begins with a letter and has at most 50 letters, digits, spaces and underscores.',
  }),
  type: type.optional(),
  ...definitionFields,
});
const fieldChanges = z.object({ type: type.optional(), ...definitionFields });
export type NewField = z.output<typeof newField>;
export type FieldChanges = z.output<typeof fieldChanges>;

const params = z.object({ id: pathId });
const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'admin' } as const;

export const fieldRoutes = {
  listFields: route({
    method: 'GET',
    path: '/api/v1/fields',
    summary: 'Definitions of custom contact fields',
    caller: reader,
    limit: 'read',
    effect: 'read',
    answers: { 200: success(z.array(fieldRecord)) },
    errors: [],
  }),
  createField: route({
    method: 'POST',
    path: '/api/v1/fields',
    summary: 'Define a custom contact field',
    caller: writer,
    limit: 'write',
    effect: 'write',
    body: newField,
    answers: { 200: success(fieldRecord) },
    errors: ['validation_failed'],
  }),
  updateField: route({
    method: 'PUT',
    path: '/api/v1/fields/{id}',
    summary: 'Change the definition of a custom contact field',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    body: fieldChanges,
    answers: { 200: success(fieldRecord) },
    errors: ['validation_failed', 'not_found'],
  }),
  deleteField: route({
    method: 'DELETE',
    path: '/api/v1/fields/{id}',
    summary: 'Delete the definition of a custom contact field; values that contacts hold stay',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
