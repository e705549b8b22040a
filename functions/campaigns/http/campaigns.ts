import { listed, ok, removed, unlessRefused } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { campaignRoutes } from '../contract/campaign.ts';
import { recipientRoutes } from '../contract/message.ts';
import { campaignView } from '../domain/view.ts';
import { deleteCampaign, turnCampaign } from '../service/control.ts';
import { createCampaign } from '../service/creating.ts';
import { previewAudience } from '../service/preview.ts';
import { listCampaignMessages } from '../service/listing-messages.ts';
import { listCampaigns, readCampaign } from '../service/reading.ts';
import { retryCampaign } from '../service/retrying.ts';

export const handler = serve(
  { ...campaignRoutes, ...recipientRoutes },
  {
    listCampaigns: async (request) =>
      unlessRefused(await listCampaigns(request.caller.companyId, request.query), (page) =>
        listed(request, { ...page, items: page.items.map(campaignView) }, 'Campaigns, newest first.'),
      ),

    createCampaign: async ({ caller, body, operationId, startedAt, headers }) =>
      unlessRefused(
        await createCampaign(caller.companyId, body, { operationId, startedAt, idempotencyKey: headers['idempotency-key'] }),
        (campaign) => ok({ ...campaignView(campaign), queue_state: 'queued' as const }, 'The campaign was queued.'),
      ),

    previewAudience: async ({ caller, body }) =>
      unlessRefused(await previewAudience(caller.companyId, body), (preview) => ok(preview, 'The audience as it is now.')),

    getCampaign: async ({ caller, params }) =>
      unlessRefused(await readCampaign(caller.companyId, params.id), (campaign) => ok(campaign, 'The campaign.')),

    updateCampaign: async ({ caller, params, body }) =>
      unlessRefused(await turnCampaign(caller.companyId, params.id, body), (campaign) =>
        ok(campaign, campaign.status === 'paused' ? 'The campaign is paused.' : 'The campaign goes on.'),
      ),

    deleteCampaign: async ({ caller, params }) =>
      unlessRefused(await deleteCampaign(caller.companyId, params.id), ({ id }) => removed(id, 'The campaign was deleted.')),

    listCampaignMessages: async (request) =>
      unlessRefused(await listCampaignMessages(request.caller.companyId, request.params.id, request.query), (page) =>
        listed(request, page, 'Recipients of the campaign.'),
      ),

    retryCampaign: async ({ caller, params }) =>
      unlessRefused(await retryCampaign(caller.companyId, params.id), (outcome) =>
        ok(outcome, `${outcome.retried} messages are sent again.`),
      ),
  },
);
