import { answer, okPage, ok, okByCursor, okDeleted, mapOk } from '../../../shared/http/reply.ts';
import { readMultipart } from '../../../shared/http/multipart.ts';
import { serve } from '../../../shared/http/serve.ts';
import { campaignRoutes } from '../contract/campaign.ts';
import { comparisonRoutes } from '../contract/compare.ts';
import { recipientRoutes } from '../contract/message.ts';
import { replyRoutes } from '../contract/reply.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { campaignView } from '../domain/campaign-view.ts';
import { deleteCampaign, updateCampaign } from '../service/update-campaign.ts';
import { cloneCampaign } from '../service/clone-campaign.ts';
import { compareCampaigns } from '../service/compare-campaigns.ts';
import { createCampaign } from '../service/create-campaign.ts';
import { previewAudience } from '../service/preview-audience.ts';
import { exportCampaignMessages, listCampaignMessages } from '../service/campaign-messages.ts';
import { listCampaignReplies } from '../service/campaign-replies.ts';
import { listCampaigns, getCampaign } from '../service/campaigns.ts';
import { retryCampaign } from '../service/retry-campaign.ts';

export const handler = serve(
  { ...campaignRoutes, ...comparisonRoutes, ...recipientRoutes, ...replyRoutes },
  {
    listCampaigns: async (request) =>
      mapOk(await listCampaigns(request.caller.companyId, request.query), (page) =>
        okPage(request, { ...page, items: page.items.map(campaignView) }, 'Campaigns, newest first.'),
      ),

    createCampaign: async ({ caller, body, operationId, startedAt, headers }) =>
      mapOk(
        await createCampaign(caller.companyId, body, { caller, operationId, startedAt, idempotencyKey: headers['idempotency-key'] }),
        (campaign) => okCreated(campaign, 'campaign'),
      ),

    previewAudience: async ({ caller, body }) =>
      mapOk(await previewAudience(caller.companyId, body), (preview) => ok(preview, 'The audience as it is now.')),

    getCampaign: async ({ caller, params }) =>
      mapOk(await getCampaign(caller.companyId, params.id), (campaign) => ok(campaign, 'The campaign.')),

    updateCampaign: async ({ caller, params, body }) =>
      mapOk(await updateCampaign(caller.companyId, params.id, body, caller), (campaign) =>
        ok(
          campaign,
          body.is_active === undefined
            ? 'The campaign was changed.'
            : `The campaign was ${campaign.status === 'paused' ? 'paused' : 'resumed'}.`,
        ),
      ),

    cloneCampaign: async ({ caller, params, body, operationId, startedAt, headers }) =>
      mapOk(
        await cloneCampaign(caller.companyId, params.id, body, {
          caller,
          operationId,
          startedAt,
          idempotencyKey: headers['idempotency-key'],
        }),
        (campaign) => okCreated(campaign, 'copy'),
      ),

    deleteCampaign: async ({ caller, params }) =>
      mapOk(await deleteCampaign(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The campaign was deleted.')),

    listCampaignMessages: async (request) =>
      mapOk(await listCampaignMessages(request.caller.companyId, request.params.id, request.query), (page) =>
        okPage(request, page, 'Recipients of the campaign.'),
      ),

    exportCampaignMessages: async ({ caller, params, query, url }) =>
      mapOk(await exportCampaignMessages(caller.companyId, params.id, query), ({ csv, nextCursor }) =>
        answer(200, csv, {
          'content-disposition': `attachment; filename="campaign-${params.id}.csv"`,
          ...(nextCursor === undefined ? {} : { link: nextLink(url, query, nextCursor) }),
        }),
      ),

    compareCampaigns: async ({ caller, query }) => ok(await compareCampaigns(caller.companyId, query), 'Campaigns with their results.'),

    listCampaignReplies: async ({ caller, params, query }) =>
      mapOk(await listCampaignReplies(caller.companyId, params.id, query), (page) => okByCursor(page, 'Replies, newest first.')),

    retryCampaign: async ({ caller, params, body }) =>
      mapOk(await retryCampaign(caller.companyId, params.id, body, caller), (outcome) =>
        ok(outcome, `${outcome.retried} messages were queued for retry.`),
      ),
  },
  { readMultipart },
);

const okCreated = (campaign: StoredCampaign, what: 'campaign' | 'copy') =>
  ok(
    { ...campaignView(campaign), queue_state: 'queued' as const },
    `The ${what} was ${campaign.status === 'scheduled' ? 'scheduled' : 'queued'}.`,
  );

/** https://www.rfc-editor.org/rfc/rfc8288 */
function nextLink(url: string, { status, limit }: { status?: string | undefined; limit: number }, cursor: string): string {
  const query = new URLSearchParams({ ...(status === undefined ? {} : { status }), limit: String(limit), cursor });
  return `<${url}?${query.toString()}>; rel="next"`;
}
