import { expect, test } from 'vitest';
import type * as z from 'zod';
import { fieldErrors } from '../../shared/http/parse.ts';
import { definitionOf } from '../../shared/http/schema-definition.ts';
import { allRoutes } from './fixture.ts';

/** Whatever stands in a field, it is refused in words of the API: not in those of the library that reads it, and not with a shrug. */
const odd: readonly unknown[] = [
  undefined,
  null,
  0.5,
  -1,
  1e300,
  NaN,
  true,
  '',
  'x',
  '😀',
  'x'.repeat(5_000),
  [],
  [null],
  [[]],
  {},
  { a: 1 },
  { type: 'x' },
];
const foreign = /^(Invalid|Too (big|small)|Unrecognized|Expected)\b|must match pattern|, received /i;
const shrugs = /in the form that the API reference describes|^Is not valid\.$|^$|Must be ( |\.)/;

/** A schema, and all that it is made of. */
function partsOf(schema: z.ZodType, seen: Set<z.ZodType> = new Set()): Set<z.ZodType> {
  if (seen.has(schema)) return seen;
  seen.add(schema);
  const { shape, catchall, element, valueType, innerType, in: source, out, options } = definitionOf(schema);
  const inner = [catchall, element, valueType, innerType, source, out];
  for (const each of [...Object.values(shape ?? {}), ...(options ?? []), ...inner.filter((one) => one !== undefined)]) partsOf(each, seen);
  return seen;
}

/** What a transform is given is what the schema before it let through: nothing else reaches it. */
const isReadAlone = (schema: z.ZodType): boolean => !['transform', 'never'].includes(definitionOf(schema).type);

const rows = allRoutes.flatMap(({ name, route }) =>
  (['body', 'query'] as const).flatMap((part) => {
    const schema = route[part];
    return schema && !route.accepts?.includes('raw') ? [[`${name} (${part})`, schema] as const] : [];
  }),
);

test.each(rows)('%s refuses in its own words', (_title, schema) => {
  const wrong = new Set<string>();
  for (const part of partsOf(schema))
    if (isReadAlone(part))
      for (const value of odd)
        for (const reason of Object.values(fieldErrors(part.safeParse(value), value)).flat())
          if (foreign.test(reason) || shrugs.test(reason))
            wrong.add(`${definitionOf(part).type} of ${JSON.stringify(value)?.slice(0, 40)}: ${reason}`);
  expect([...wrong]).toEqual([]);
});
