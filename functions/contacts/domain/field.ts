import { epochMs, isoTime } from '../../../shared/runtime/clock.ts';

/** Custom fields (decisions A7, A18). */
export const fieldTypes = ['text', 'number', 'date', 'datetime', 'boolean', 'select', 'url', 'email'] as const;
export type FieldType = (typeof fieldTypes)[number];

export const fieldKeyPattern = /^[A-Za-z][A-Za-z0-9_ ]{0,49}$/;
export const maxFields = 100;
export const maxValueChars = 2_000;

/** All custom values of a contact together, in bytes: 100 fields of 2,000 four-byte characters would not fit an item. */
export const maxCustomBytes = 65_536;

export type CustomValue = string | number | boolean;

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

/** One given value, with the request field it came in, for errors. Null removes. */
export interface GivenValue {
  field: string;
  value: CustomValue | null;
}

/** The values of a contact that was given none: of active fields that have a default. */
export const defaultsOf = (fields: readonly Field[]): Record<string, CustomValue> =>
  Object.fromEntries(
    fields.flatMap(({ key, isActive, defaultValue }) => (isActive && defaultValue !== undefined ? [[key, defaultValue] as const] : [])),
  );

/**
 * What a write does wrong to custom values: none makes a contact without a required one or takes it away, and none changes the value of an
 * inactive field, which is neither required. `before` is undefined of a new contact, for which `fields` are all definitions.
 */
export const customValueErrors = (
  before: Readonly<Record<string, CustomValue>> | undefined,
  after: Readonly<Record<string, CustomValue>>,
  fields: readonly Field[],
): Record<string, string[]> =>
  Object.fromEntries(
    fields.flatMap(({ key, isActive, required }): [string, string[]][] => {
      const [was, is] = [before?.[key], after[key]];
      if (!isActive) return is === undefined || is === was ? [] : [[`fields.${key}`, ['This field is inactive: it takes no new values.']]];
      const isTaken = is === undefined && (before === undefined || was !== undefined);
      return required && isTaken ? [[`fields.${key}`, ['Is required.']]] : [];
    }),
  );

/** A value as its field keeps it, or the reason why it cannot be one. */
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
      return booleans.has(text.toLowerCase())
        ? { ok: true, value: booleans.get(text.toLowerCase()) === true }
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
      return /^https?:\/\//i.test(text) && URL.canParse(text)
        ? { ok: true, value: text }
        : invalidValue('Must be an http or https address.');
    case 'email':
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? { ok: true, value: text } : invalidValue('Must be an email address.');
  }
};

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

const invalidValue = (reason: string) => ({ ok: false as const, reason });

/** A day that exists: 30 February does not. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
