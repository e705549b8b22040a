import { expect, test } from 'vitest';
import * as z from 'zod';
import { problem } from '../../shared/contract/problems.ts';
import { type Operations, route } from '../../shared/contract/route.ts';

/**
 * What must not compile. Each `@ts-expect-error` is held by the type check: the day one of these compiles, it fails.
 */
const routes = {
  readThing: route({
    method: 'GET',
    path: '/api/v1/things/{id}',
    summary: 'Read a thing',
    caller: { kind: 'token', scope: 'contacts:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    params: z.object({ id: z.int() }),
    answers: { 200: z.object({ name: z.string() }) },
    errors: ['not_found'],
  }),
};
type Things = Operations<typeof routes>;

const right: Things = {
  readThing: async ({ params }) => (params.id === 1 ? { status: 200, body: { name: 'one' } } : problem('not_found')),
};

// @ts-expect-error an operation is left out
export const leftOut: Things = {};

export const undeclaredStatus: Things = {
  // @ts-expect-error 201 is not among the answers
  readThing: async () => ({ status: 201 as const, body: { name: 'one' } }),
};

export const undeclaredBody: Things = {
  // @ts-expect-error the answer has no such body
  readThing: async () => ({ status: 200 as const, body: { title: 'one' } }),
};

export const undeclaredError: Things = {
  // @ts-expect-error the route does not answer with this code
  readThing: async () => problem('window_closed'),
};

export const undeclaredField: Things = {
  // @ts-expect-error the route has no body to read
  readThing: async ({ body }) => ({ status: 200 as const, body: { name: body.name } }),
};

test('a right operation compiles and answers; the wrong ones above are held by the type check', async () => {
  const answer = await right.readThing({ params: { id: 1 } } as Parameters<Things['readThing']>[0]);
  expect(answer).toEqual({ status: 200, body: { name: 'one' } });
});
