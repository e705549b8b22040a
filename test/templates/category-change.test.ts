import { afterAll, expect, test } from 'vitest';
import { helloWorld, startTemplateFixture, templateOf } from './fixture.ts';

const fixture = await startTemplateFixture();
afterAll(() => fixture.stop());

const dayMs = 86_400_000;

test('a dearer category is announced by the provider a day ahead, and counts from then: not earlier, and once', async () => {
  const company = await fixture.company();
  await fixture.atProvider(company, [helloWorld]);
  expect((await fixture.api(company, 'POST', '/sync')).status).toBe(200);
  const shown = async () => templateOf(await fixture.api(company, 'GET', '/1'));
  const change = { waba_id: company.number.wabaId, name: 'hello_world', language: 'en_US', category: 'MARKETING' };
  const answer = await fixture.provider.control('POST', '/_local/provider/templates/category', change);
  expect(answer?.body).toMatchObject({ data: { category: 'UTILITY', correct_category: 'MARKETING' } });
  await fixture.deliverAll();
  const announced = await shown();
  expect(announced).toMatchObject({ status: 'APPROVED', category: 'UTILITY', upcoming_category: { category: 'MARKETING' } });
  // what is read from the provider meanwhile does not take the announcement back
  expect(templateOf(await fixture.api(company, 'POST', '/1/sync'))).toMatchObject({
    category: 'UTILITY',
    upcoming_category: { category: 'MARKETING' },
  });
  fixture.testApp.clock.advance(dayMs - 60_000);
  await fixture.deliverAll();
  expect((await shown()).category).toBe('UTILITY');
  fixture.testApp.clock.advance(120_000);
  await fixture.deliverAll();
  expect(await shown()).toMatchObject({ status: 'APPROVED', category: 'MARKETING', upcoming_category: null });
  expect(templateOf(await fixture.api(company, 'POST', '/1/sync'))).toMatchObject({ category: 'MARKETING', upcoming_category: null });
  const updates = fixture.testApp.events.filter(({ name, detail }) => name === 'template.updated' && detail['company_id'] === company.id);
  expect(updates.map(({ detail }) => detail['data'])).toMatchObject([
    { category: 'UTILITY', previous_category: 'UTILITY', upcoming_category: { category: 'MARKETING' } },
    { category: 'MARKETING', previous_category: 'UTILITY', upcoming_category: null },
  ]);
});

test('a category of a template that the provider does not have is refused', async () => {
  const company = await fixture.company();
  const change = { waba_id: company.number.wabaId, name: 'no_such', language: 'en_US', category: 'MARKETING' };
  expect((await fixture.provider.control('POST', '/_local/provider/templates/category', change))?.status).toBe(400);
  await fixture.deliverAll();
});
