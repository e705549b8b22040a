import type { FieldErrors } from '../../../shared/contract/problems.ts';
import { epochMs, isoTime } from '../../../shared/runtime/clock.ts';
import { booleansByWord } from '../../../shared/contract/fields.ts';
import { type CustomValue, type FieldType } from '../contract/custom-value.ts';

/** Limit in bytes of all custom values of a contact: 100 fields of 2,000 four-byte characters would not fit into a DynamoDB item. */
export const maxCustomBytes = 65_536;

/** The definition of a custom field (A18). */
export interface Field {
  companyId: number;
  id: number;
  key: string;
  name: string;
  type: FieldType;
  options: readonly string[];
  required: boolean;
  defaultValue?: CustomValue | undefined;
  position: number;
  isActive: boolean;
  createdAt: number;
  updatedAt: number;
}

/** The values of a new contact: the defaults of active fields. */
export const defaultsOf = (fields: readonly Field[]): Record<string, CustomValue> =>
  Object.fromEntries(
    fields.flatMap(({ key, isActive, defaultValue }) => (isActive && defaultValue !== undefined ? [[key, defaultValue] as const] : [])),
  );

/**
 * Errors of a write to custom values: a required value is missing or removed, or the value of an inactive field changes. For a new contact
 * `before` is undefined and `fields` are all definitions.
 */
export const customValueErrors = (
  before: Readonly<Record<string, CustomValue>> | undefined,
  after: Readonly<Record<string, CustomValue>>,
  fields: readonly Field[],
): FieldErrors =>
  Object.fromEntries(
    fields.flatMap(({ key, isActive, required }): [string, string[]][] => {
      const [was, is] = [before?.[key], after[key]];
      if (!isActive)
        return is === undefined || is === was ? [] : [[`fields.${key}`, ['This field is inactive and accepts no new values.']]];
      const isMissing = is === undefined && (before === undefined || was !== undefined);
      return required && isMissing ? [[`fields.${key}`, ['Is required.']]] : [];
    }),
  );

/** The value converted to the type of its field, or an error message. */
export const parseFieldValue = (
  type: FieldType,
  options: readonly string[],
  value: CustomValue,
): { ok: true; value: CustomValue } | { ok: false; reason: string } => {
  const text = String(value).trim();
  switch (type) {
    case 'text':
      return { ok: true, value: text };
    case 'number':
      return typeof value !== 'boolean' && text !== '' && Number.isFinite(Number(text))
        ? { ok: true, value: Number(text) }
        : invalidValue('Must be a number.');
    case 'boolean':
      return booleansByWord.has(text.toLowerCase())
        ? { ok: true, value: booleansByWord.get(text.toLowerCase()) === true }
        : invalidValue('Must be true or false.');
    case 'date':
      return isDate(text) ? { ok: true, value: text } : invalidValue('Must be a date as YYYY-MM-DD.');
    case 'datetime':
      return isDate(text.slice(0, 10)) && !Number.isNaN(epochMs(text))
        ? { ok: true, value: isoTime(epochMs(text)) }
        : invalidValue('Must be a time in ISO 8601.');
    case 'select':
      return options.includes(text) ? { ok: true, value: text } : invalidValue(`Must be one of: ${options.join(', ')}.`);
    case 'url':
      return /^https?:\/\//i.test(text) && URL.canParse(text) ? { ok: true, value: text } : invalidValue('Must be an http or https URL.');
    case 'email':
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? { ok: true, value: text } : invalidValue('Must be an email address.');
  }
};

const invalidValue = (reason: string) => ({ ok: false as const, reason });

/** Whether the text is an existing date (30 February is not). */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
