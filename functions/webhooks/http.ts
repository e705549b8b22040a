import { ok, okDeleted, mapOk } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { keyedHash, seal, unseal } from '../../shared/runtime/seal.ts';
import { deliveryRoutes } from './contract/delivery.ts';
import { endpointRoutes } from './contract/endpoint.ts';
import {
  type DeliveryPage,
  listAllDeliveries,
  listDeliveries,
  replayDeliveries,
  resendDelivery,
  testWebhook,
} from './service/deliveries.ts';
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, rotateWebhookSecret, updateWebhook } from './service/endpoints.ts';

export const handler = serve(
  { ...endpointRoutes, ...deliveryRoutes },
  {
    listWebhooks: async ({ caller }) => ok(await listWebhooks(caller.companyId), 'The endpoints.'),
    createWebhook: async ({ caller, body, operationId }) =>
      mapOk(await createWebhook(caller.companyId, body, operationId), (endpoint) =>
        ok(endpoint, 'The endpoint was created. Keep its secret: it is not shown again.'),
      ),
    getWebhook: async ({ caller, params }) =>
      mapOk(await getWebhook(caller.companyId, params.id), (endpoint) => ok(endpoint, 'The endpoint.')),
    updateWebhook: async ({ caller, params, body }) =>
      mapOk(await updateWebhook(caller.companyId, params.id, body), (endpoint) => ok(endpoint, 'The endpoint was changed.')),
    deleteWebhook: async ({ caller, params }) =>
      mapOk(await deleteWebhook(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The endpoint was deleted.')),
    rotateWebhookSecret: async ({ caller, params, operationId }) =>
      mapOk(await rotateWebhookSecret(caller.companyId, params.id, operationId), (endpoint) =>
        ok(endpoint, 'The secret was changed. For 24 hours the old one signs as well.'),
      ),

    listDeliveries: async ({ caller, params, query }) => mapOk(await listDeliveries(caller.companyId, params.id, query), toPage),
    listAllDeliveries: async ({ caller, query }) => mapOk(await listAllDeliveries(caller.companyId, query), toPage),
    replayDeliveries: async ({ caller, body }) =>
      mapOk(await replayDeliveries(caller.companyId, body), (replay) => ok(replay, 'What failed is delivered again.')),
    resendDelivery: async ({ caller, params }) =>
      mapOk(await resendDelivery(caller.companyId, params.id, params.delivery_id), (delivery) =>
        ok(delivery, 'The event is delivered again.'),
      ),
    testWebhook: async ({ caller, params, operationId }) =>
      mapOk(await testWebhook(caller.companyId, params.id, operationId), (sent) => ok(sent, 'A test event is on its way.')),
  },
  { seal, unseal, keyedHash },
);

function toPage({ items, nextCursor }: DeliveryPage) {
  return {
    status: 200 as const,
    body: {
      status: 'success' as const,
      message: 'Deliveries, newest event first.',
      data: items,
      meta: { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null },
    },
  };
}
