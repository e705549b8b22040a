import { expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { sampleOf } from '../../lib/generate/sample.ts';
import { unknownFields } from '../../shared/http/unknown-fields.ts';

const bodies = app
  .flatMap(({ functions }) => functions.flatMap((each) => (each.trigger === 'http' ? Object.entries(each.routes) : [])))
  .flatMap(([name, route]) => {
    const { body } = sampleOf(name, route);
    return route.body && !route.accepts?.includes('raw') && typeof body === 'object' ? [[name, route.body, body] as const] : [];
  });

test('a body of fifty thousand unknown fields is compared with what there is a thousand times, no more', () => {
  const schema = z.object({ scheduled_at: z.string() });
  const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, nth) => [`scheduled${nth.toString(36)}`, 1]));
  const found = unknownFields(schema, { schedule_at: 1, ...body });
  expect([found.length, found[0]]).toEqual([50_001, { name: 'schedule_at', meant: 'scheduled_at' }]);
  expect(found.findLastIndex(({ meant }) => meant !== undefined)).toBeLessThan(1_000);
});

test.each(bodies)(
  '%s knows every field of its example, and one more is unknown, where it does not take any field',
  (_name, schema, body) => {
    expect(unknownFields(schema, body)).toEqual([]);
    const takesAny = schema.safeParse({ ...body, no_such_field: 1 });
    const storesUnknown =
      takesAny.success && typeof takesAny.data === 'object' && takesAny.data !== null && 'no_such_field' in takesAny.data;
    expect(unknownFields(schema, { ...body, no_such_field: 1 })).toEqual(storesUnknown ? [] : [{ name: 'no_such_field' }]);
  },
);
