import { afterAll, expect, test } from 'vitest';
import type { TestCompany } from '../support/company.ts';
import { startTemplateFixture } from '../templates/fixture.ts';
import { problemOf } from './fixture.ts';

/** Short links and QR codes of a number, which the provider has. */
const fixture = await startTemplateFixture();
afterAll(() => fixture.stop());

interface Link {
  code: string;
  message: string;
  url: string;
  qr_image_url: string | null;
}
const api = (company: TestCompany, method: string, path: string, body?: object) =>
  fixture.testApp.call({ method, path: `/api/v1/numbers/1/links${path}`, token: company.tokens.owner, ...(body ? { body } : {}) });
const dataOf = <T>(answer: { status: number; body: unknown; raw: string }): T => {
  expect(answer.status, answer.raw).toBe(200);
  return (answer.body as { data: T }).data;
};
const linksOf = async (company: TestCompany): Promise<Link[]> => dataOf<Link[]>(await api(company, 'GET', ''));

test('a link is made, changed under the same code, listed and deleted at the provider', async () => {
  const company = await fixture.company();
  const made = dataOf<Link>(await api(company, 'POST', '', { message: 'I would like to order', qr_image: 'SVG' }));
  expect(made).toMatchObject({
    message: 'I would like to order',
    url: `https://wa.me/message/${made.code}`,
    qr_image_url: expect.any(String),
  });
  const changed = dataOf<Link>(await api(company, 'PUT', `/${made.code}`, { message: 'A table for two' }));
  expect([changed.code, changed.message]).toEqual([made.code, 'A table for two']);
  expect((await linksOf(company)).map(({ code, message }) => [code, message])).toEqual([[made.code, 'A table for two']]);
  expect(dataOf(await api(company, 'DELETE', `/${made.code}`))).toEqual({ code: made.code });
  expect(await linksOf(company)).toEqual([]);
});

test('a link whose answer was lost is given by the repetition, there is one, and the audit log knows it', async () => {
  const company = await fixture.company();
  fixture.line(({ method, path }) => (method === 'POST' && path.includes('message_qrdls') ? 'lose-answer' : 'pass'));
  expect((await api(company, 'POST', '', { message: 'Hello' })).status).toBe(503);
  fixture.line();
  const again = dataOf<Link>(await api(company, 'POST', '', { message: 'Hello' }));
  expect(await linksOf(company)).toMatchObject([{ code: again.code, message: 'Hello' }]);
  await fixture.testApp.drain();
  const audit = await fixture.testApp.call({ method: 'GET', path: '/api/v1/audit', token: company.tokens.owner });
  expect(audit.raw).toContain(`link ${again.code} found`);
});

test('all links are listed, page by page, and a text is found on a later one', async () => {
  const company = await fixture.company();
  const messages = Array.from({ length: 103 }, (_, nth) => `Table ${nth}`);
  for (const message of messages)
    await fetch(`${fixture.provider.url}/v19.0/${company.number.phoneNumberId}/message_qrdls`, {
      method: 'POST',
      headers: { authorization: `Bearer token-of-company-${company.id}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prefilled_message: message }),
    });
  const first = await api(company, 'GET', '');
  const { next_cursor: cursor } = (first.body as { meta: { next_cursor: string } }).meta;
  const rest = await fixture.testApp.call({
    method: 'GET',
    path: `/api/v1/numbers/1/links?cursor=${encodeURIComponent(cursor)}`,
    token: company.tokens.owner,
  });
  const [one, two] = [dataOf<Link[]>(first), dataOf<Link[]>(rest)];
  expect([one.length, two.length]).toEqual([100, 3]);
  expect([...one, ...two].map(({ message }) => message).toSorted()).toEqual(messages.toSorted());
  const last = two.at(-1);
  expect(dataOf<Link>(await api(company, 'POST', '', { message: last?.message })).code).toBe(last?.code);
});

test('what is refused: a text that is too long, a link that is not there, and what the provider does not take', async () => {
  const company = await fixture.company();
  expect((await api(company, 'POST', '', { message: 'x'.repeat(141) })).status).toBe(422);
  expect((await api(company, 'PUT', '/NOSUCHCODE', { message: 'Hello' })).status).toBe(404);
  expect((await api(company, 'DELETE', '/NOSUCHCODE')).status).toBe(404);
  fixture.line(() => ({ status: 400, body: { error: { code: 100, message: 'The phone number has too many QR codes.' } } }));
  const refused = await api(company, 'POST', '', { message: 'Hello' });
  fixture.line();
  expect([refused.status, problemOf(refused).code, problemOf(refused).details]).toMatchObject([
    422,
    'provider_rejected',
    { provider_code: 100 },
  ]);
});
