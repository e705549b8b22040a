import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { createUser } from '../../functions/account/service/users.ts';
import { unwrap } from '../support/company.ts';
import { allRoutes, codeOf, type ContractFixture, startFixture } from './fixture.ts';

/** What an operation answers of its caller is for the caller: a colleague who sends the same body under the same Idempotency-Key gets none of it. */
let fixture: ContractFixture;
let token: string;
const caller = { id: 987_654_321, name: 'Ada Unmistakable', email: 'ada.unmistakable@example.com' };
beforeAll(async () => {
  fixture = await startFixture();
  const { id, name, email } = caller;
  unwrap(await createUser(fixture.company.id, { name, email, role: 'owner' }, { id }));
  token = unwrap(await issueToken(fixture.company.id, { user_id: id })).secret;
});
afterAll(() => fixture[Symbol.asyncDispose]());

const writes = allRoutes.filter(({ route }) => route.effect === 'write' && route.caller.kind === 'token');

test.each(writes.map((each) => [each.name, each] as const))('%s answers a colleague nothing of its caller', async (name, named) => {
  const call = await fixture.goodCall(named, { token });
  const keyed = { ...call, headers: { ...call.headers, 'idempotency-key': `own-${name}` } };
  const first = await fixture.testApp.call(keyed);
  expect(first.status, first.raw).toBeLessThan(300);
  const isOfCaller = [String(caller.id), caller.name, caller.email].some((text) => first.raw.includes(text));
  if (!isOfCaller) return;
  const second = await fixture.testApp.call({ ...keyed, token: fixture.company.tokens.owner });
  expect([second.status, codeOf(second)]).toEqual([409, 'idempotency_key_reused']);
});
