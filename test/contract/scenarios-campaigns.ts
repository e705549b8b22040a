import { currentFunction } from '../support/crash-points.ts';
import { onFetch } from '../support/fetch-hook.ts';
import type { Scenario } from './scenarios.ts';
import type { Example } from './examples.ts';
import { campaignBody, campaignId, idIn, later, newPhone, templateId } from './examples-campaigns.ts';
import { companyAtItsLimit } from './full-plan.ts';
import type { TestApp } from '../support/test-app.ts';
import type { ContractFixture } from './fixture.ts';

/** Of campaigns: what is on the way of a file, of time, of who says no, and of workers that crash. */
export const campaignScenarios: readonly Scenario[] = [
  {
    route: 'createCampaign',
    title: 'with a file that the provider takes its time over',
    example: async (fixture) => {
      const { company, contactId } = fixture;
      const template = await templateId(company.id, { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['h'] } });
      const fields = { name: 'Prices', template_id: template, contact_id: contactId, paramvalues: JSON.stringify({ 1: 'Ada' }) };
      return { raw: formWithPdf(fields) };
    },
    next: async ({ testApp }) => {
      // the stretch of who builds the campaign is over when the file is there
      using _slow = onFetch((address, call) => {
        if (address.endsWith('/media')) testApp.clock.advance(16_000);
        return call();
      });
      await testApp.drain({ retry: false });
    },
  },
  {
    route: 'createCampaign',
    title: 'for later, to somebody who says no meanwhile',
    example: async (fixture) => {
      const phone = newPhone();
      const contact_id = await fixture.newContact(phone);
      const body = { ...(await campaignBody(fixture)), ...later(minutesMs), contact_id };
      await api(fixture, 'POST', '/contacts', { phone, subscribed: false });
      return { body };
    },
    next: async ({ testApp }) => {
      testApp.clock.advance(minutesMs);
      await testApp.tick('every-minute');
    },
  },
  {
    route: 'createCampaign',
    title: 'whose worker dies over a claim',
    example: async (fixture) => ({ body: await campaignBody(fixture) }),
    next: deathOverAClaim,
  },
  {
    route: 'updateCampaign',
    title: 'goes on with a message of its own call, held by a pause',
    example: async (fixture) => {
      const id = await campaignId(fixture);
      await api(fixture, 'PUT', `/campaigns/${id}`, { is_active: false });
      await api(fixture, 'POST', '/campaigns/send', { phone: newPhone(), campaign_id: id });
      return { params: { id }, body: { is_active: true } };
    },
  },
  {
    route: 'retryCampaign',
    title: 'with a message of its own call that failed',
    example: async (fixture) => {
      const id = await campaignId(fixture);
      await api(fixture, 'POST', '/campaigns/send', { phone: newPhone(), campaign_id: id });
      await refusedByTheProvider(fixture);
      return { params: { id } };
    },
  },
  {
    route: 'retryCampaign',
    title: 'that is over, and is started again for who is dead by then',
    example: async (fixture) => {
      const body = { ...(await campaignBody(fixture)), contact_id: await fixture.newContact(newPhone()) };
      const id = idIn(await fixture.testApp.call({ method: 'POST', path: '/api/v1/campaigns', token: fixture.company.tokens.owner, body }));
      await refusedByTheProvider(fixture);
      return { params: { id } };
    },
    // longer than a request for a retry can live
    next: async ({ testApp }) => void (await testApp.drain({ retry: false, including: 'delayed', until: testApp.clock.now() + 60_000 })),
  },
  {
    route: 'sendToContact',
    title: 'as a test, of a campaign whose file the provider does not have yet',
    example: async (fixture) => {
      const { testApp, company } = fixture;
      const template = await templateId(company.id, { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['h'] } });
      const { send_time } = later();
      const fields = {
        name: 'Prices',
        template_id: template,
        contact_id: fixture.contactId,
        paramvalues: JSON.stringify({ 1: 'Ada' }),
        send_time,
      };
      const made = await testApp.call({ method: 'POST', path: '/api/v1/campaigns', token: company.tokens.owner, ...formWithPdf(fields) });
      return { body: { phone: newPhone(), campaign_id: idIn(made), is_test: true } };
    },
  },
  {
    route: 'sendToContact',
    title: 'to a new contact, in room that a dead process held',
    example: async (fixture) => {
      const company = await companyAtItsLimit(fixture);
      const token = company.tokens.owner;
      const body = { name: 'Spring', template_id: await templateId(company.id), paramvalues: { 1: 'Ada' }, ...later() };
      const campaign_id = idIn(await fixture.testApp.call({ method: 'POST', path: '/api/v1/campaigns', token, body }));
      return { token, body: { phone: newPhone(), campaign_id } };
    },
  },
];

/** What is sent now fails, in a way in which another try may go well. */
async function refusedByTheProvider({ testApp }: ContractFixture): Promise<void> {
  using _refusal = onFetch((address, call) =>
    address.endsWith('/messages') ? Promise.resolve(Response.json({ error: { code: fileRefused } }, { status: 400 })) : call(),
  );
  await testApp.drain();
}

/** With the worker's first call to the provider ends all that it had still meant to do; the claim is written, and looked at two minutes later. */
async function deathOverAClaim({ testApp }: ContractFixture): Promise<void> {
  await untilItStops(testApp);
  await testApp.drain({ retry: false, including: 'delayed', until: testApp.clock.now() + 180_000 });
}

async function untilItStops(testApp: TestApp): Promise<void> {
  let hasStopped = false;
  using _table = testApp.onTable(() => {
    if (hasStopped && currentFunction()?.name === 'campaign-blocks') throw new Error('The process died.');
  });
  using _call = onFetch((address, call) => {
    hasStopped ||= address.endsWith('/messages');
    return call();
  });
  await testApp.drain({ retry: false });
}

async function api(
  { testApp, company }: ContractFixture,
  method: 'POST' | 'PUT',
  path: string,
  body: Record<string, unknown>,
): Promise<void> {
  const answer = await testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, body });
  if (answer.status >= 400) throw new Error(answer.raw);
}

function formWithPdf(fields: Readonly<Record<string, string | number>>): NonNullable<Example['raw']> {
  const boundary = 'a-boundary-of-the-errand';
  const parts = [
    ...Object.entries(fields).map(([name, value]) => `content-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    'content-disposition: form-data; name="pdf"; filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\n%PDF-1.4\r\n',
  ];
  const body = `${parts.map((part) => `--${boundary}\r\n${part}`).join('')}--${boundary}--\r\n`;
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

/** More than the stream places by itself. */
const minutesMs = 300_000;

/** The provider's code for a file that it could not take: another try may go well. */
const fileRefused = 131_053;
