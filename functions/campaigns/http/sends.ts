import { ok, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { deprecation } from '../../../shared/http/stages.ts';
import { sendToContactRoutes } from '../contract/message.ts';
import { renderRoutes } from '../contract/render.ts';
import { testMessageRoutes } from '../contract/test-message.ts';
import { sendTestMessage } from '../service/send-test-message.ts';
import { renderTemplate } from '../service/render-template.ts';
import { sendToContact } from '../service/send-to-contact.ts';

export const handler = serve(
  { ...sendToContactRoutes, ...testMessageRoutes, ...renderRoutes },
  {
    sendToContact: async ({ caller, body, operationId, startedAt, spendCompanyLimit: admit }) =>
      mapOk(await sendToContact(caller.companyId, body, { operationId, startedAt, caller, admit }), (sent) => ({
        ...ok(sent, sent.queue_state === 'held' ? 'The message is held until the campaign goes on.' : 'The message was queued.'),
        headers: body.campaing_id === undefined ? {} : deprecation('/api/v1/campaigns/send'),
      })),
    sendTestMessage: async ({ caller, body, operationId, startedAt, spendCompanyLimit: admit }) =>
      mapOk(await sendTestMessage(caller.companyId, body, { operationId, startedAt, caller, admit }), (sent) =>
        ok(sent, 'The test was queued. It counts in no campaign.'),
      ),
    renderTemplate: async ({ caller, params, body }) =>
      mapOk(await renderTemplate(caller.companyId, params.id, body), (rendered) => ok(rendered, 'Nothing was sent.')),
  },
);
