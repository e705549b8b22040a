import { answer } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { receiverRoutes } from '../contract/receivers.ts';
import { mapOk } from './replies.ts';
import { receivePlatformEvent, receiveTest } from '../service/receivers.ts';

export const handler = serve(receiverRoutes, {
  receiveStoreplatform: async ({ caller, rawBody, headers }) =>
    mapOk(await receivePlatformEvent('storeplatform', { caller, raw: rawBody, headers }), (queued) => answer(200, queued)),
  receiveWebshop: async ({ caller, rawBody, headers }) =>
    mapOk(await receivePlatformEvent('webshop', { caller, raw: rawBody, headers }), (queued) => answer(200, queued)),
  receiveLogistics: async ({ caller, rawBody, headers }) =>
    mapOk(await receivePlatformEvent('logistics', { caller, raw: rawBody, headers }), (queued) => answer(200, queued)),
  receiveCheckout: async ({ caller, rawBody, headers }) =>
    mapOk(await receivePlatformEvent('checkout', { caller, raw: rawBody, headers }), (queued) => answer(200, queued)),
  receiveTest: async ({ caller, rawBody, headers }) =>
    mapOk(await receiveTest({ caller, raw: rawBody, headers }), ({ event, headers: shown, body, signature, receivedAt }) =>
      answer(200, { success: true as const, received: { event, headers: shown, body }, signature, received_at: receivedAt }),
    ),
});
