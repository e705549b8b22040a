import { answerSeal } from '../../shared/http/answer-seal.ts';
import { ok, okByCursor, okDeleted, mapOk } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import type { CursorPage } from '../../shared/table/page.ts';
import { type DeliveryRecord, deliveryRoutes } from './contract/delivery.ts';
import { endpointRoutes } from './contract/endpoint.ts';
import { listAllDeliveries, listDeliveries, replayDeliveries, resendDelivery, testWebhook } from './service/deliveries.ts';
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, rotateWebhookSecret, updateWebhook } from './service/endpoints.ts';

export const handler = serve(
  { ...endpointRoutes, ...deliveryRoutes },
  {
    listWebhooks: async ({ caller }) => ok(await listWebhooks(caller.companyId), 'The endpoints.'),
    createWebhook: async ({ caller, body, operationId }) =>
      mapOk(await createWebhook(caller, body, operationId), (endpoint) =>
        ok(endpoint, 'The endpoint was created. Keep its secret: it is not shown again.'),
      ),
    getWebhook: async ({ caller, params }) =>
      mapOk(await getWebhook(caller.companyId, params.id), (endpoint) => ok(endpoint, 'The endpoint.')),
    updateWebhook: async ({ caller, params, body }) =>
      mapOk(await updateWebhook(caller, params.id, body), (endpoint) => ok(endpoint, 'The endpoint was changed.')),
    deleteWebhook: async ({ caller, params }) =>
      mapOk(await deleteWebhook(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The endpoint was deleted.')),
    rotateWebhookSecret: async ({ caller, params, operationId }) =>
      mapOk(await rotateWebhookSecret(caller.companyId, params.id, operationId), (endpoint) =>
        ok(endpoint, 'The secret was changed. For 24 hours the old one signs as well.'),
      ),

    listDeliveries: async ({ caller, params, query }) => mapOk(await listDeliveries(caller.companyId, params.id, query), okDeliveries),
    listAllDeliveries: async ({ caller, query }) => mapOk(await listAllDeliveries(caller.companyId, query), okDeliveries),
    replayDeliveries: async ({ caller, body }) =>
      mapOk(await replayDeliveries(caller.companyId, body), (replay) => ok(replay, 'What failed is delivered again.')),
    resendDelivery: async ({ caller, params }) =>
      mapOk(await resendDelivery(caller.companyId, params.id, params.delivery_id), (delivery) =>
        ok(delivery, 'The event is delivered again.'),
      ),
    testWebhook: async ({ caller, params, operationId }) =>
      mapOk(await testWebhook(caller.companyId, params.id, operationId), (sent) => ok(sent, 'A test event is on its way.')),
  },
  { seal: answerSeal },
);

const okDeliveries = (page: CursorPage<DeliveryRecord>) => okByCursor(page, 'Deliveries, newest event first.');
