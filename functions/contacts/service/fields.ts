import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { FieldChanges, FieldRecord, NewField } from '../contract/field.ts';
import { maxFields } from '../contract/custom-value.ts';
import { type Field, parseFieldValue } from '../domain/field.ts';
import { toFieldRecord } from '../domain/contact-record.ts';
import { createFieldDefinition, deleteFieldDefinition, listFieldDefinitions, updateFieldDefinition } from '../store/field.ts';

/** Definitions of custom fields (A18), sorted by position. A company has at most 100. */
export const listFields = async (companyId: number): Promise<FieldRecord[]> => (await listByPosition(companyId)).map(toFieldRecord);

export const createField = async (companyId: number, given: NewField): Promise<FieldRecord | Problem<'validation_failed'>> => {
  const fields = await listFieldDefinitions(companyId);
  if (fields.some(({ key }) => key === given.key)) return invalid('key', keyTaken);
  if (fields.length >= maxFields) return invalid('key', `A company has at most ${maxFields} custom fields.`);
  const at = now();
  const id = await nextIds(companyId, 'field', 1);
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
  const field = applyChanges(blank, given);
  if ('problem' in field) return field;
  const defined = await createFieldDefinition(field);
  return defined.id === id ? toFieldRecord(field) : invalid('key', keyTaken);
};

/** A new type applies to values set from now on; stored values of contacts stay unchanged. */
export const updateField = async (
  companyId: number,
  id: number,
  given: FieldChanges,
): Promise<FieldRecord | Problem<'validation_failed' | 'not_found'>> => {
  const before = (await listFieldDefinitions(companyId)).find((each) => each.id === id);
  if (before === undefined) return problem('not_found');
  const field = applyChanges(before, given);
  if ('problem' in field) return field;
  if (JSON.stringify(field) === JSON.stringify(before)) return toFieldRecord(before);
  const after = { ...field, updatedAt: Math.max(now(), before.updatedAt + 1) };
  return (await updateFieldDefinition(after)) ? toFieldRecord(after) : problem('not_found');
};

export const deleteField = async (companyId: number, id: number): Promise<{ id: number } | Problem<'not_found'>> => {
  const field = (await listFieldDefinitions(companyId)).find((each) => each.id === id);
  return field !== undefined && (await deleteFieldDefinition(field)) ? { id } : problem('not_found');
};

const keyTaken = 'Another custom field has this key.';

const listByPosition = async (companyId: number): Promise<Field[]> =>
  (await listFieldDefinitions(companyId)).sort((a, b) => a.position - b.position || a.id - b.id);

/** The changed field, or a problem: only `select` has options, and a default must be a value of the type. */
function applyChanges(field: Field, given: FieldChanges): Field | Problem<'validation_failed'> {
  const type = given.type ?? field.type;
  const options = given.options ?? (type === 'select' ? field.options : []);
  if (type === 'select' && options.length === 0) return invalid('options', 'A select field needs options.');
  if (type !== 'select' && options.length > 0) return invalid('options', 'Only a select field has options.');
  if (new Set(options).size < options.length) return invalid('options', 'Options must differ.');
  const wanted = given.default_value === undefined ? field.defaultValue : (given.default_value ?? undefined);
  const value = wanted === undefined ? undefined : parseFieldValue(type, options, wanted);
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
