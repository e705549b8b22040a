import * as z from 'zod';
import { equals, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { fieldTypes } from '../contract/custom-value.ts';
import type { Field } from '../domain/field.ts';

/** Definitions of custom fields (A18), at most 100 in one partition per company. The sort key is the field's key, which makes it unique. */
export const fieldEntity = entity({
  name: 'field',
  purpose: 'The definition of a custom contact field',
  attributes: z.object({
    companyId: z.int(),
    id: z.int(),
    key: z.string(),
    name: z.string(),
    type: z.enum(fieldTypes),
    options: z.array(z.string()),
    required: z.boolean(),
    defaultValue: z.union([z.string(), z.number(), z.boolean()]).optional(),
    position: z.int(),
    isActive: z.boolean(),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId, key }: { companyId: number; key: string }) => ({ pk: fieldsKey(companyId), sk: key }),
  idOf: ({ companyId, key }) => ({ companyId, key }),
  example: { pk: 'C#<company>#FIELD', sk: '<field key>' },
});

export const getFieldDefinitions = pattern(
  { question: 'definitions of custom fields by key', entity: 'field', by: 'BatchGetItem', units: '0.5 RRU each' },
  (companyId: number, keys: readonly string[]): Promise<Field[]> => fieldEntity.getMany(keys.map((key) => ({ companyId, key }))),
);

export const listFieldDefinitions = pattern(
  { question: 'all custom fields of a company', entity: 'field', by: 'Query', units: '0.5 RRU per 4 KB (about 16 fields)' },
  async (companyId: number): Promise<Field[]> => (await fieldEntity.query({ pk: fieldsKey(companyId) })).items,
);

/** Creates the definition and returns it, or returns the existing one with that key. */
export const createFieldDefinition = pattern(
  { question: 'define a custom field, unless its key is taken', entity: 'field', by: 'PutItem', units: '1 WRU' },
  async (field: Field): Promise<Field> => {
    const written = await fieldEntity.put(stored(field), missing());
    return written.done ? written.item : (written.current ?? field);
  },
);

/** False: the field was deleted. */
export const updateFieldDefinition = pattern(
  { question: 'change a custom field', entity: 'field', by: 'PutItem', units: '1 WRU' },
  async (field: Field): Promise<boolean> => (await fieldEntity.put(stored(field), equals('id', field.id))).done,
);

export const deleteFieldDefinition = pattern(
  { question: 'delete a custom field', entity: 'field', by: 'DeleteItem', units: '1 WRU' },
  async ({ companyId, key, id }: Field): Promise<boolean> => (await fieldEntity.delete({ companyId, key }, equals('id', id))).done,
);

const stored = (field: Field) => ({ ...field, options: [...field.options] });

const fieldsKey = (companyId: number): string => `${tenant(companyId)}#FIELD`;
