/** JSON as templates, events and emulators exchange it, and the narrow readers used at that edge. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value if it is an object, else an empty one. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The value if it is a list, else an empty one. */
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** The value if it is text, else undefined. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Text as it is, anything else as its JSON; nothing for nothing. */
export const asText = (value: Json | undefined): string => {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
};

/** CloudFormation writes numbers as numbers or as text; undefined for neither. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  return undefined;
};

/** CloudFormation writes booleans as booleans or as text. */
export const isTrue = (value: unknown): boolean => value === true || value === 'true';

export const parseJson = (text: string): Json => JSON.parse(text) as Json;
