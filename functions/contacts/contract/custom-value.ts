/** Values of custom fields (A7, A18). */
export const fieldTypes = ['text', 'number', 'date', 'datetime', 'boolean', 'select', 'url', 'email'] as const;
export type FieldType = (typeof fieldTypes)[number];

export const fieldKeyPattern = /^[A-Za-z][A-Za-z0-9_ ]{0,49}$/;
export const maxFields = 100;
export const maxValueChars = 2_000;

export type CustomValue = string | number | boolean;

/** A value with its request field, for error messages. Null removes the value. */
export interface GivenValue {
  field: string;
  value: CustomValue | null;
}
