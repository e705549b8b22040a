import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/gateway-event.ts';
import { allRoutes, type ContractFixture, rowsOf, startFixture } from './fixture.ts';

/** An answer names all that is missing: who adds just that has it right, and is not sent on from one field to the next. */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const withBody = allRoutes.filter(({ route }) => route.body !== undefined && !route.accepts?.includes('raw'));

const reasonsIn = ({ body }: Answer): [field: string, reason: string][] => {
  const { errors, details } = body as { errors?: Record<string, string[]>; details?: Record<string, string[]> };
  return Object.entries(errors ?? details ?? {}).flatMap(([field, reasons]) =>
    [reasons].flat().map((reason): [string, string] => [field, String(reason)]),
  );
};

test.each(rowsOf(withBody))('%s names all missing fields at once', async (_title, named) => {
  const call = await fixture.goodCall(named);
  const nothing = await fixture.call(named, { ...call, body: {} });
  if (nothing.status !== 422) return;
  const reasons = reasonsIn(nothing);
  const isNamed = (field: string): boolean =>
    reasons.some(([at, reason]) => at.split('.')[0] === field || new RegExp(`\\b${field}\\b`).test(reason));
  const given = Object.entries(call.body as Record<string, unknown>).filter(([field]) => isNamed(field));
  const answer = await fixture.call(named, { ...call, body: Object.fromEntries(given) });
  expect(reasonsIn(answer).filter(([, reason]) => /required/i.test(reason))).toEqual([]);
});
