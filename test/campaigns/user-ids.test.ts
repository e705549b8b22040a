import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSender } from '../../functions/contacts/service/ensure-sender.ts';
import { syncAccount } from '../../functions/templates/service/sync-account.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { type CampaignFixture, previewOf, refusal, startFixture } from './fixture.ts';

/** Customers without a phone in campaigns: reached by the provider's user id, but by templates that go to phones alone. */
let fixture: CampaignFixture;
let company: TestCompany;
let hidden: number;
const userId = 'US.13491208655302741918';

beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
  await fixture.people(company, 2);
  hidden = (await ensureSender(company.id, { userId, name: 'Ana Sol', username: 'ana.sol' })).contactId;
  const code = {
    name: 'code',
    language: 'en',
    category: 'AUTHENTICATION',
    components: [{ type: 'BODY', text: '{{1}} is your code.', example: { body_text: [['123456']] } }],
  };
  await fixture.provider.control('PUT', '/_local/provider/templates', { waba_id: company.number.wabaId, templates: [code] });
  unwrap(await syncAccount(company.id));
  await fixture.testApp.drain();
});
afterAll(() => fixture.stop());

const codeTemplate = async (): Promise<number> => {
  const listed = await fixture.testApp.call({ method: 'GET', path: '/api/v1/templates', token: company.tokens.member });
  return (listed.body as { data: { id: number; name: string }[] }).data.find(({ name }) => name === 'code')?.id ?? 0;
};
const received = async () => (await fixture.ledger()).filter(({ to }) => to === userId);

describe('a customer without a phone', () => {
  test('is a recipient like any other, once, whatever the queue repeats', async () => {
    const sale = { template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'username' }, paramvalues: { 1: 'friend' } };
    const preview = previewOf(await fixture.api(company, 'POST', '/audience-preview', sale));
    expect(preview).toMatchObject({ eligible_contacts: 3, total: 3, excluded: { invalid_phone: 0, needs_phone: 0 } });
    const id = await fixture.create(company, { ...sale, name: 'Sale' });
    await fixture.testApp.drain({ disorder: { seed: 7, duplicate: 1 } });
    expect(await received()).toHaveLength(1);
    expect(JSON.stringify((await received())[0]?.payload)).toContain('ana.sol');
    const { rows, open } = await fixture.counted(company, id);
    expect(open).toBe(0);
    expect(rows).toHaveLength(3);
    expect(rows.find(({ contactId }) => contactId === hidden)).toMatchObject({ userId });
  });

  test('gets the message of a campaign that a call adds it to', async () => {
    const id = await fixture.create(company, {
      template_id: fixture.templateId(company, 'plain'),
      name: 'Plain',
      group_id: await fixture.group(company, 'None'),
    });
    const before = (await received()).length;
    const added = await fixture.api(company, 'POST', '/send', { campaign_id: id, contact_id: hidden });
    expect(added.status).toBe(200);
    await fixture.testApp.drain();
    expect(await received()).toHaveLength(before + 1);
  });

  test('gets no code, which goes to phones alone: the preview says so, and a call that names it is refused', async () => {
    const template = await codeTemplate();
    const preview = previewOf(
      await fixture.api(company, 'POST', '/audience-preview', { template_id: template, paramvalues: { 1: '123456' } }),
    );
    expect(preview).toMatchObject({ eligible_contacts: 2, excluded: { needs_phone: 1 } });
    const before = (await received()).length;
    const id = await fixture.create(company, { template_id: template, name: 'Code', paramvalues: { 1: '123456' } });
    await fixture.testApp.drain();
    const refused = await fixture.api(company, 'POST', '/send', { campaign_id: id, contact_id: hidden });
    expect(refusal(refused)).toEqual([422, 'validation_failed', 'contact_id']);
    expect(await received()).toHaveLength(before);
  });

  test('gets nothing of marketing once it stopped, and counts as opted out', async () => {
    const stop = await fixture.testApp.call({
      method: 'PATCH',
      path: `/api/v1/contacts/${hidden}`,
      token: company.tokens.member,
      body: { subscribed: false },
    });
    expect(stop.status).toBe(200);
    const before = (await received()).length;
    const sale = { template_id: fixture.templateId(company, 'sale'), paramvalues: { 1: 'friend' } };
    expect(previewOf(await fixture.api(company, 'POST', '/audience-preview', sale))).toMatchObject({ excluded: { unsubscribed: 1 } });
    await fixture.create(company, { ...sale, name: 'Again' });
    await fixture.testApp.drain();
    expect(await received()).toHaveLength(before);
  });
});
