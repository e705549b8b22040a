import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { takeIds } from '../../../shared/table/head.ts';
import type { FieldChanges, FieldRecord, NewField } from '../contract/field.ts';
import { type Field, fieldValue, maxFields } from '../domain/field.ts';
import { fieldRecord } from '../domain/record.ts';
import { defineField, deleteField, listFields, updateField } from '../store/field.ts';

/** Definitions of custom fields (A18), in the order of their position. A company has at most 100. */
export const allFields = async (companyId: number): Promise<FieldRecord[]> => (await inOrder(companyId)).map(fieldRecord);

export const addField = async (companyId: number, given: NewField): Promise<FieldRecord | Problem<'validation_failed'>> => {
  const fields = await listFields(companyId);
  if (fields.some(({ key }) => key === given.key)) return invalid('key', keyTaken);
  if (fields.length >= maxFields) return invalid('key', `A company has at most ${maxFields} custom fields.`);
  const at = now();
  const id = await takeIds(companyId, 'field', 1);
  const blank: Field = {
    companyId,
    id,
    key: given.key,
    name: given.key,
    type: 'text',
    options: [],
    required: false,
    position: id,
    isActive: true,
    createdAt: at,
    updatedAt: at,
  };
  const field = applied(blank, given);
  if ('problem' in field) return field;
  const defined = await defineField(field);
  return defined.id === id ? fieldRecord(field) : invalid('key', keyTaken);
};

/** A new type holds for values given from now on; those that contacts hold stay as they are. */
export const changeField = async (
  companyId: number,
  id: number,
  given: FieldChanges,
): Promise<FieldRecord | Problem<'validation_failed' | 'not_found'>> => {
  const before = (await listFields(companyId)).find((each) => each.id === id);
  if (before === undefined) return problem('not_found');
  const field = applied(before, given);
  if ('problem' in field) return field;
  if (JSON.stringify(field) === JSON.stringify(before)) return fieldRecord(before);
  const after = { ...field, updatedAt: Math.max(now(), before.updatedAt + 1) };
  return (await updateField(after)) ? fieldRecord(after) : problem('not_found');
};

export const removeField = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found'>> => {
  const field = (await listFields(companyId)).find((each) => each.id === id);
  return field !== undefined && (await deleteField(field)) ? { id } : problem('not_found');
};

const keyTaken = 'Another custom field has this key.';

const inOrder = async (companyId: number): Promise<Field[]> =>
  (await listFields(companyId)).sort((a, b) => a.position - b.position || a.id - b.id);

/** The field after the given values, or why it cannot be so: options belong to `select`, a default must be a value of the type. */
function applied(field: Field, given: FieldChanges): Field | Problem<'validation_failed'> {
  const type = given.type ?? field.type;
  const options = given.options ?? (type === 'select' ? field.options : []);
  if (type === 'select' && options.length === 0) return invalid('options', 'A select field needs options.');
  if (type !== 'select' && options.length > 0) return invalid('options', 'Only a select field has options.');
  if (new Set(options).size < options.length) return invalid('options', 'Options must differ.');
  const wanted = given.default_value === undefined ? field.defaultValue : (given.default_value ?? undefined);
  const value = wanted === undefined ? undefined : fieldValue(type, options, wanted);
  if (value?.ok === false) return invalid('default_value', value.reason);
  const { defaultValue: _old, ...rest } = field;
  return {
    ...rest,
    name: given.name ?? field.name,
    type,
    options,
    required: given.required ?? field.required,
    ...(value === undefined ? {} : { defaultValue: value.value }),
    position: given.position ?? field.position,
    isActive: given.is_active ?? field.isActive,
  };
}
