import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as z from 'zod';

/**
 * What a strict reader of openapi.json says of an answer: the schemas as JSON Schema 2020-12, not as the product's own code reads them. A schema
 * that no tool of the product reads wrongly may still be one that refuses every answer.
 */
const response = z.looseObject({ $ref: z.string().optional(), content: z.record(z.string(), z.looseObject({})).optional() });
const openApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string(), responses: z.record(z.string(), response) }))),
});
const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
const document = openApi.parse(JSON.parse(text));

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema(JSON.parse(text) as object, 'openapi.json');

const placeOf = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses }]) => [operationId, { path, method, responses }] as const),
  ),
);
const validators = new Map<string, ValidateFunction | undefined>();

/** Why the document refuses this answer of an operation; undefined: it does not. */
export const refusalByDocument = (operationId: string, status: number, body: unknown): string | undefined => {
  const key = `${operationId} ${status}`;
  if (!validators.has(key)) validators.set(key, validatorOf(operationId, status));
  const validate = validators.get(key);
  if (!validate) return 'The document has no schema for this status.';
  return validate(body) ? undefined : ajv.errorsText(validate.errors);
};

/** Why the document refuses this JSON body of a request; undefined: it does not. */
export const refusalOfBody = (operationId: string, body: unknown): string | undefined => {
  const { path = '', method = '' } = placeOf.get(operationId) ?? {};
  if (!validators.has(operationId)) validators.set(operationId, compiled(`#/paths/${escaped(path)}/${method}/requestBody`));
  const validate = validators.get(operationId);
  return validate?.(body) === false ? ajv.errorsText(validate.errors) : undefined;
};

function validatorOf(operationId: string, status: number): ValidateFunction | undefined {
  const { path = '', method = '', responses = {} } = placeOf.get(operationId) ?? {};
  const found = responses[status];
  if (!found) return undefined;
  const at = found.$ref ?? `#/paths/${escaped(path)}/${method}/responses/${status}`;
  return compiled(at);
}

/** Of the JSON content at a place of the document. */
function compiled(at: string): ValidateFunction {
  return ajv.compile({ $ref: `openapi.json${at}/content/${escaped('application/json')}/schema` });
}

/** As a part of a JSON pointer in an address: https://www.rfc-editor.org/rfc/rfc6901#section-6 */
const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
