import * as z from 'zod';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';
import { createTemplateRow, reserveTemplateIds } from '../../functions/templates/store/template.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import type { Answer } from '../support/gateway-event.ts';
import type { Example } from './examples.ts';
import type { ContractFixture } from './fixture.ts';

let templates = 0;

/** An approved template of its own: a sync of another example takes away what the provider does not have. */
export const templateId = async (companyId: number, ...header: readonly object[]): Promise<number> => {
  const id = await reserveTemplateIds(companyId, 1);
  await createTemplateRow(
    storedTemplate.parse({
      companyId,
      id,
      name: `campaign_${++templates}`,
      language: 'en',
      category: 'MARKETING',
      status: 'APPROVED',
      parameterFormat: 'POSITIONAL',
      components: [...header, { type: 'BODY', text: 'Hi {{1}}, welcome.' }],
      providerId: String(7_000_000 + id),
      statusAt: 0,
      rev: 1,
      createdAt: 0,
      updatedAt: 0,
    }),
    undefined,
  );
  return id;
};

export const campaignBody = async (fixture: ContractFixture) => ({
  name: 'Spring',
  template_id: await templateId(fixture.company.id),
  contact_id: fixture.contactId,
  paramvalues: { 1: 'Ada' },
});

/** One that waits, so that nothing is sent while the tests look at it. */
export const campaignId = async (fixture: ContractFixture): Promise<number> => {
  const body = { ...(await campaignBody(fixture)), ...later() };
  const answer = await fixture.testApp.call({ method: 'POST', path: '/api/v1/campaigns', token: fixture.company.tokens.owner, body });
  return idIn(answer);
};

export const idIn = ({ body }: Answer): number => z.object({ data: z.object({ id: z.int() }) }).parse(body).data.id;

/** Unless given, so late that it does not fall due while the tests let time pass. */
export const later = (ms = 300 * dayMs) => ({ send_now: false, send_time: new Date(Date.now() + ms).toISOString() });

let phones = 0;
export const newPhone = (): string => `+4915121${String(++phones).padStart(6, '0')}`;

export const campaignExamples: Readonly<Record<string, (fixture: ContractFixture) => Example | Promise<Example>>> = {
  listCampaigns: () => ({ query: { limit: 2 } }),
  createCampaign: async (fixture) => ({ body: await campaignBody(fixture) }),
  previewAudience: async (fixture) => ({ body: { template_id: await templateId(fixture.company.id) } }),
  compareCampaigns: () => ({ query: { limit: 2 } }),
  listCampaignReplies: async (fixture) => ({ params: { id: await campaignId(fixture) } }),
  sendTestMessage: async (fixture) => ({
    body: { phone: newPhone(), template_id: await templateId(fixture.company.id), paramvalues: { 1: 'Ada' } },
  }),
  getCampaign: async (fixture) => ({ params: { id: await campaignId(fixture) } }),
  updateCampaign: async (fixture) => ({ params: { id: await campaignId(fixture) }, body: { is_active: false } }),
  cloneCampaign: async (fixture) => ({ params: { id: await campaignId(fixture) }, body: later() }),
  listCampaignMessages: async (fixture) => ({ params: { id: await campaignId(fixture) } }),
  exportCampaignMessages: async (fixture) => ({ params: { id: await campaignId(fixture) }, query: { limit: 2 } }),
  retryCampaign: async (fixture) => ({ params: { id: await campaignId(fixture) }, body: {} }),
  sendToContact: async (fixture) => ({
    body: { phone: newPhone(), campaign_id: await campaignId(fixture) },
  }),
  deleteCampaign: async (fixture) => ({ params: { id: await campaignId(fixture) } }),
};
