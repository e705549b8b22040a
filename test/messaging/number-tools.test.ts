import { afterAll, describe, expect, test } from 'vitest';
import type { TestCompany } from '../support/company.ts';
import { problemOf, startFixture } from './fixture.ts';

/** The username of a number, and what it offers before a customer writes: the provider has both. */
const fixture = await startFixture();
afterAll(() => fixture.stop());

const call = (company: TestCompany, tool: string, method = 'GET', body?: object, number = 1) =>
  fixture.testApp.call({
    method,
    path: `/api/v1/numbers/${number}/${tool}`,
    token: company.tokens.owner,
    ...(body ? { body } : {}),
  });
type Answered = Awaited<ReturnType<typeof call>>;
const dataOf = ({ status, body, raw }: Answered): unknown => {
  expect(status, raw).toBe(200);
  return (body as { data: unknown }).data;
};
const refusedBy = (answer: Answered): unknown[] => [answer.status, problemOf(answer).code, problemOf(answer).details?.['provider_code']];
const none = { username: null, status: null };

describe('a username', () => {
  test('is reserved, read, replaced and deleted at the provider, and each change leaves an audit entry', async () => {
    const company = await fixture.company();
    expect(dataOf(await call(company, 'username'))).toEqual(none);
    const reserved = { username: 'garden.berlin', status: 'reserved' };
    expect(dataOf(await call(company, 'username', 'PUT', { username: '@Garden.Berlin' }))).toEqual(reserved);
    expect(dataOf(await call(company, 'username'))).toEqual(reserved);
    expect(dataOf(await call(company, 'username', 'PUT', { username: 'garden_1' }))).toMatchObject({ username: 'garden_1' });
    expect(dataOf(await call(company, 'username', 'DELETE'))).toEqual(none);
    expect(dataOf(await call(company, 'username'))).toEqual(none);
    // the former one is free again
    const other = await fixture.company();
    expect(dataOf(await call(other, 'username', 'PUT', { username: 'garden.berlin' }))).toMatchObject(reserved);
    await fixture.testApp.drain();
    const audit = await fixture.testApp.call({ method: 'GET', path: '/api/v1/audit', token: company.tokens.owner });
    for (const what of ['username garden.berlin', 'username garden_1', 'username deleted']) expect(audit.raw).toContain(what);
  });

  test('of another business is refused, whether or not it is to be taken over, and stays that business’s', async () => {
    const [holder, other] = [await fixture.company(), await fixture.company()];
    dataOf(await call(holder, 'username', 'PUT', { username: 'held.name' }));
    for (const take_over of [false, true]) {
      const refused = await call(other, 'username', 'PUT', { username: 'held.name', take_over });
      expect(refusedBy(refused)).toEqual([422, 'provider_rejected', 147_001]);
    }
    expect(dataOf(await call(holder, 'username'))).toMatchObject({ username: 'held.name' });
    expect(dataOf(await call(other, 'username'))).toEqual(none);
  });

  test('of another number of the business moves only where the call says so', async () => {
    const [first, second] = [await fixture.company(), await fixture.company()];
    const known = (await fixture.control('GET', 'numbers')) as { phone_number_id: string }[];
    for (const company of [first, second])
      await fixture.control('PUT', 'numbers', {
        ...known.find((each) => each.phone_number_id === company.number.phoneNumberId),
        access_token: `token-of-company-${company.id}`,
        app_secret: company.appSecret,
        portfolio_id: '900',
      });
    dataOf(await call(first, 'username', 'PUT', { username: 'moving.name' }));
    expect(refusedBy(await call(second, 'username', 'PUT', { username: 'moving.name' }))).toEqual([422, 'provider_rejected', 147_005]);
    expect(dataOf(await call(second, 'username', 'PUT', { username: 'moving.name', take_over: true }))).toMatchObject({
      username: 'moving.name',
    });
    expect(dataOf(await call(first, 'username'))).toEqual(none);
  });

  test.each(['ab', 'x'.repeat(36), '12345', 'two words', '.garden', 'garden.', 'gar..den', 'www.garden', 'garden.com', 'gärten'])(
    '%s is refused before the provider is called',
    async (username) => {
      const refused = await call(await fixture.company(), 'username', 'PUT', { username });
      expect([refused.status, Object.keys(problemOf(refused).errors ?? {})]).toEqual([422, ['username']]);
    },
  );
});

describe('ice breakers and commands', () => {
  test('are changed list by list, and the other stays', async () => {
    const company = await fixture.company();
    expect(dataOf(await call(company, 'automation'))).toEqual({ ice_breakers: [], commands: [] });
    const ice_breakers = ['When are you open?', 'Where is my order?'];
    const commands = [{ name: 'hours', description: 'When we are open' }];
    expect(dataOf(await call(company, 'automation', 'PUT', { ice_breakers }))).toEqual({ ice_breakers, commands: [] });
    expect(dataOf(await call(company, 'automation', 'PUT', { commands }))).toEqual({ ice_breakers, commands });
    expect(dataOf(await call(company, 'automation', 'PUT', { ice_breakers: [] }))).toEqual({ ice_breakers: [], commands });
    expect(dataOf(await call(company, 'automation'))).toEqual({ ice_breakers: [], commands });
    expect(dataOf(await call(await fixture.company(), 'automation'))).toEqual({ ice_breakers: [], commands: [] });
  });

  test.each([
    ['ice_breakers', { ice_breakers: ['1', '2', '3', '4', '5'] }],
    ['ice_breakers.0', { ice_breakers: ['x'.repeat(81)] }],
    ['ice_breakers.0', { ice_breakers: [''] }],
    ['commands.0.name', { commands: [{ name: '/hours', description: 'When we are open' }] }],
    ['commands.0.name', { commands: [{ name: 'x'.repeat(33), description: 'Long' }] }],
    ['commands.0.description', { commands: [{ name: 'hours', description: 'x'.repeat(257) }] }],
    ['commands', { commands: ['hours', 'Hours'].map((name) => ({ name, description: 'Twice' })) }],
    ['commands', { commands: Array.from({ length: 31 }, (_, nth) => ({ name: `c${nth}`, description: 'One of many' })) }],
  ])('%s beyond the limits of the provider are refused before it is called', async (field, body) => {
    const refused = await call(await fixture.company(), 'automation', 'PUT', body);
    expect([refused.status, Object.keys(problemOf(refused).errors ?? {})]).toEqual([422, [field]]);
  });
});

test.each(['username', 'automation'])(
  'a number that is not there has no %s, and a token that the provider refuses is said',
  async (tool) => {
    const company = await fixture.company();
    expect((await call(company, tool, 'GET', undefined, 9)).status).toBe(404);
    const unknown = { access_token: 'a token that the provider does not know' };
    const path = '/api/v1/numbers/1/rotate';
    const rotated = await fixture.testApp.call({ method: 'POST', path, token: company.tokens.owner, body: unknown });
    expect(rotated.status, rotated.raw).toBe(200);
    expect(refusedBy(await call(company, tool))).toEqual([422, 'provider_rejected', 190]);
  },
);
