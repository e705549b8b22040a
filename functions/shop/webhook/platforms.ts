import { answer } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { webhookRoutes } from '../contract/webhook.ts';
import { unlessRefused } from '../http/replies.ts';
import { receive, receiveTest } from '../service/receiving.ts';

export const handler = serve(webhookRoutes, {
  receiveStoreplatform: async ({ caller, rawBody, headers }) =>
    unlessRefused(await receive('storeplatform', { caller, raw: rawBody, headers }), (queued) => answer(200, queued)),
  receiveWebshop: async ({ caller, rawBody, headers }) =>
    unlessRefused(await receive('webshop', { caller, raw: rawBody, headers }), (queued) => answer(200, queued)),
  receiveLogistics: async ({ caller, rawBody, headers }) =>
    unlessRefused(await receive('logistics', { caller, raw: rawBody, headers }), (queued) => answer(200, queued)),
  receiveCheckout: async ({ caller, rawBody, headers }) =>
    unlessRefused(await receive('checkout', { caller, raw: rawBody, headers }), (queued) => answer(200, queued)),
  receiveTest: async ({ caller, rawBody, headers }) =>
    unlessRefused(await receiveTest({ caller, raw: rawBody, headers }), ({ event, headers: shown, body, signature, receivedAt }) =>
      answer(200, { success: true as const, received: { event, headers: shown, body }, signature, received_at: receivedAt }),
    ),
});
