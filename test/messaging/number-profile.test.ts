import { afterAll, expect, test } from 'vitest';
import type { TestCompany } from '../support/company.ts';
import { problemOf, startFixture } from './fixture.ts';

/** The business profile of a number, which the provider has. */
const fixture = await startFixture();
afterAll(() => fixture.stop());

const profile = (company: TestCompany, body?: object, number = 1) =>
  fixture.testApp.call({
    method: body ? 'PUT' : 'GET',
    path: `/api/v1/numbers/${number}/profile`,
    token: company.tokens.owner,
    ...(body ? { body } : {}),
  });
const dataOf = (answer: { status: number; body: unknown; raw: string }): Record<string, unknown> => {
  expect(answer.status, answer.raw).toBe(200);
  return (answer.body as { data: Record<string, unknown> }).data;
};

test('what is sent changes at the provider, and all else stays', async () => {
  const company = await fixture.company();
  const given = {
    about: 'Open from 9 to 18',
    address: 'Unter den Linden 1, Berlin',
    email: 'shop@example.com',
    websites: ['https://shop.example.com'],
    vertical: 'RETAIL',
  };
  expect(dataOf(await profile(company, given))).toEqual({ ...given, description: '', picture_url: null });
  expect(dataOf(await profile(company, { description: 'Garden tools', websites: [] }))).toMatchObject({
    about: 'Open from 9 to 18',
    description: 'Garden tools',
    websites: [],
  });
  expect(dataOf(await profile(company, { address: '' }))).toMatchObject({ address: '', email: 'shop@example.com' });
  expect(dataOf(await profile(company))).toMatchObject({ about: 'Open from 9 to 18', address: '', vertical: 'RETAIL' });
});

test.each([
  ['about', { about: '' }],
  ['about', { about: 'x'.repeat(140) }],
  ['address', { address: 'x'.repeat(257) }],
  ['description', { description: 'x'.repeat(513) }],
  ['email', { email: 'no address' }],
  ['websites', { websites: ['https://a.example', 'https://b.example', 'https://c.example'] }],
  ['vertical', { vertical: 'ANYTHING' }],
])('a %s that the provider does not take is refused before it is called: %j', async (field, body) => {
  const company = await fixture.company();
  const refused = await profile(company, body);
  expect([refused.status, Object.keys(problemOf(refused).errors ?? {})]).toEqual([422, [field]]);
});

test('a number that is not there has no profile, and a token that the provider refuses is said', async () => {
  const company = await fixture.company();
  expect((await profile(company, undefined, 9)).status).toBe(404);
  const unknown = { access_token: 'a token that the provider does not know' };
  const rotated = await fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/numbers/1/rotate',
    token: company.tokens.owner,
    body: unknown,
  });
  expect(rotated.status, rotated.raw).toBe(200);
  const refused = await profile(company);
  expect([refused.status, problemOf(refused).code, problemOf(refused).details]).toMatchObject([
    422,
    'provider_rejected',
    { provider_code: 190 },
  ]);
});
