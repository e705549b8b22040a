import type * as z from 'zod';
import { kindsOfCodes, type RefusalKind, refusalKinds } from '../../shared/contract/refusal-kinds.ts';
import type { RouteSpec } from '../../shared/contract/route.ts';
import { definitionOf, type SchemaDefinition } from '../../shared/http/schema-definition.ts';

/**
 * The kinds of refusal that an operation has for a body which its schema allows: from the rules of the schema itself that no JSON Schema says,
 * from the codes of the operation, and from what the route says of its use case.
 */
export const refusalsOf = (route: RouteSpec): RefusalKind[] => {
  const body = route.documents?.schema ?? route.body;
  if (!body) return [];
  const found = new Set<RefusalKind>(route.refuses ?? []);
  for (const code of route.errors) {
    const kind = kindsOfCodes[code];
    if (kind) found.add(kind);
  }
  for (const schema of [route.body, route.documents?.schema]) if (schema) visit(schema, '', found);
  if (route.unknownFields === 'refuse' || route.sends) found.add('field');
  return kindNames.filter((kind) => found.has(kind));
};

/** What each kind means, for the introduction. */
export const refusalTable = (): string =>
  ['| kind | the body is refused because |', '|---|---|', ...kindNames.map((kind) => `| \`${kind}\` | ${refusalKinds[kind]} |`)].join('\n');

const kindNames = Object.keys(refusalKinds) as RefusalKind[];

interface Definition extends SchemaDefinition {
  checks?: readonly { _zod: { def: { check: string } } }[];
}

function visit(schema: z.ZodType, name: string, found: Set<RefusalKind>, seen: Set<z.ZodType> = new Set()): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  const definition: Definition = definitionOf(schema);
  const { type, shape, element, valueType, options, innerType, in: from, out, catchall } = definition;
  for (const kind of ofRules(schema, definition, name)) found.add(kind);
  for (const [field, each] of Object.entries(shape ?? {})) visit(each, field, found, seen);
  const inner = [element, valueType, innerType, from, out, catchall, ...(options ?? [])];
  for (const each of inner) if (each && type !== 'transform') visit(each, name, found, seen);
}

/** Of one schema: its checks beyond what a JSON Schema has, what it becomes by reading, and what its name says that it stands for. */
function ofRules(schema: z.ZodType, { type, checks = [], in: from, out }: Definition, name: string): RefusalKind[] {
  const kinds: RefusalKind[] = [];
  const has = (check: string): boolean => checks.some((each) => each._zod.def.check === check);
  const isText = type === 'string';
  const isReading = type === 'pipe' && (isScalar(from) || isScalar(out));
  // texts are read without the blanks around them (shared/contract/fields.ts)
  if (isText && has('overwrite')) kinds.push('blank');
  if (has('custom') && (type === 'object' || isObjectPipe(schema))) kinds.push('combination');
  if (has('custom') && (type === 'array' || type === 'record')) kinds.push('size');
  // a text has a check of its own beyond that for NUL; what is read from a text or a number may not be one
  const customs = checks.filter((each) => each._zod.def.check === 'custom').length;
  const isRead = isReading && !/(^|_)ids?$/.test(name);
  if (isRead || (isText && customs > (has('overwrite') ? 1 : 0))) kinds.push('form');
  if (/(^|_)ids?$/.test(name) && ['string', 'number', 'union', 'array'].includes(type)) kinds.push('reference');
  if ((isText || isRead) && /(_at|_time|_until|_from|_to)$|^(from|to|since|until|birthday)$/.test(name)) kinds.push('time');
  return kinds;
}

const isScalar = (schema: z.ZodType | undefined): boolean =>
  schema !== undefined && ['string', 'number', 'union'].includes(definitionOf(schema).type);

/** An object that is read in several steps: a rule may stand after the first of them. */
function isObjectPipe(schema: z.ZodType): boolean {
  const { type, in: from } = definitionOf(schema);
  return type === 'pipe' && from !== undefined && (definitionOf(from).type === 'object' || isObjectPipe(from));
}
