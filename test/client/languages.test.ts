import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operationsById } from '../../client/client.ts';
import { snakeCase } from '../../lib/generate/client-calls.ts';
import type { JsonSchema } from '../../lib/generate/client-document.ts';
import { nativeType, shapeOf } from '../../lib/generate/php-shapes.ts';
import { PythonTypes } from '../../lib/generate/python-types.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The methods of each class, as `Contacts.listNotes`, by the words that open them. */
const methodsIn = (source: string, opening: RegExp): Set<string> => {
  const found = new Set<string>();
  let resource = '';
  for (const [, name, method] of source.matchAll(opening)) {
    if (name !== undefined) resource = name;
    else if (method !== undefined && !method.startsWith('__')) found.add(`${resource}.${method}`);
  }
  return found;
};

const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, Record<string, { operationId: string; deprecated?: true }>> };
const deprecated = new Set(
  Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((each) => (each.deprecated ? [each.operationId] : []))),
);
const names = Object.values(operationsById)
  .filter(({ id }) => !deprecated.has(id))
  .map(({ name }) => {
    const [resource = '', method = ''] = name.split('.');
    return [resource.charAt(0).toUpperCase() + resource.slice(1), method] as const;
  });

describe('the clients of other languages', () => {
  test('have the operations of the TypeScript client under its names, but for those that are deprecated', () => {
    expect(names.length).toBeGreaterThan(240);
    const php = methodsIn(read('clients/php/src/Operations.generated.php'), /^final class (\w+)|^ {4}public function (\w+)/gm);
    expect([...php].toSorted()).toEqual(names.map(([resource, method]) => `${resource}.${method}`).toSorted());
    const python = methodsIn(
      read('clients/python/src/switchboard_client/operations_generated.py'),
      /^class (\w+)\(Resource\)|^ {4}def (\w+?)_?\(/gm,
    );
    expect([...python].toSorted()).toEqual(names.map(([resource, method]) => `${resource}.${snakeCase(method)}`).toSorted());
  });
});

describe('a schema', () => {
  const schemas: Record<string, JsonSchema> = {
    Tag: { type: 'object', properties: { id: { type: 'integer' }, name: { type: ['string', 'null'] } }, required: ['id'] },
    Kind: { type: 'string', enum: ['a', 'b'] },
    Map: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Kind' } },
  };
  const tag: JsonSchema = { $ref: '#/components/schemas/Tag' };
  const open: JsonSchema = { type: 'object', properties: { type: { type: 'string' } }, required: ['type'], additionalProperties: {} };

  test.each<[string, JsonSchema, string, string, string]>([
    ['that is one of several', { anyOf: [tag, { type: 'null' }] }, 'types.Tag | None', 'Tag|null', 'mixed'],
    ['whose texts are also any text', { anyOf: [{ const: 'all' }, { type: 'string' }] }, 'str', 'string', 'string'],
    ['that is a constant', { const: true }, 'Literal[True]', 'true', 'bool'],
    ['that is a list', { type: 'array', items: tag }, 'Sequence[types.Tag]', 'list<Tag>', 'array'],
    ['that says nothing', {}, 'Any', 'mixed', 'mixed'],
    ['that is a number', { type: ['number', 'integer'] }, 'float', 'float|int', 'float|int'],
    ['that takes any other field', open, 'Mapping[str, Any]', 'array{type: string, ...}', 'array'],
  ])('%s has a type in each language', (_, schema, python, shape, native) => {
    expect(new PythonTypes(schemas, []).input(schema, 'Owner')).toBe(python);
    expect(shapeOf(schema)).toBe(shape);
    expect(nativeType(schema)).toBe(native);
  });

  test('is declared in Python when it is used, with what a caller may leave out, and aliases that load before all names are there', () => {
    const types = new PythonTypes(schemas, [tag]);
    expect(types.answer([{ type: 'object', properties: { data: tag, from: { type: 'string' } } }], 'Answer')).toBe('types.Answer');
    types.input({ $ref: '#/components/schemas/Map' }, 'Owner');
    const module = types.module(['Tag']).join('\n');
    expect(module).toContain('class Tag(TypedDict):\n    id: int\n    name: NotRequired[str | None]');
    // `from` is a word of Python
    expect(module).toContain('Answer = TypedDict("Answer", {"data": "NotRequired[Tag]", "from": "NotRequired[str]"})');
    expect(module).toContain('Kind = Literal["a", "b"]');
    expect(module).toContain('Map = Mapping[str, "Kind"]');
    expect(module).toContain('WebhookEvent = "Tag"');
  });

  test('without a name of its own stops the generator where another has the one that it would get', () => {
    const types = new PythonTypes(schemas, []);
    types.input({ type: 'object', properties: { a: { type: 'string' } } }, 'Owner');
    expect(() => types.input({ type: 'object', properties: { b: { type: 'string' } } }, 'Owner')).toThrow('Owner would be two types');
  });
});
