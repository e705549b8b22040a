import { okPage, ok } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { orderRoutes } from '../contract/order.ts';
import { privacyRoutes } from '../contract/privacy.ts';
import { settingsRoutes } from '../contract/settings-routes.ts';
import { getOrder, listOrders, updateOrder, updateOrderStatus } from '../service/orders.ts';
import { listPrivacyRequests } from '../service/privacy-requests.ts';
import { updateShopSettings } from '../service/update-settings.ts';
import { getShopSettings } from '../service/settings.ts';
import { mapOk } from './replies.ts';

export const handler = serve(
  { ...orderRoutes, ...settingsRoutes, ...privacyRoutes },
  {
    listOrders: async (request) =>
      mapOk(await listOrders(request.caller.companyId, request.query), (page) => okPage(request, page, 'Orders, newest first.')),
    getOrder: async ({ caller, params }) => mapOk(await getOrder(caller.companyId, params.id), (order) => ok(order, 'The order.')),
    updateOrder: async ({ caller, params, body }) =>
      mapOk(await updateOrder(caller.companyId, params.id, body), (order) => ok(order, 'The order was changed.')),
    updateOrderStatus: async ({ caller, params, body }) =>
      mapOk(await updateOrderStatus(caller.companyId, params.id, body), (order) => ok(order, 'The status was changed.')),
    listPrivacyRequests: async ({ caller }) => ok(await listPrivacyRequests(caller.companyId), 'Requests under privacy law.'),
    getShopSettings: async ({ caller }) => ok(await getShopSettings(caller.companyId), 'The shop settings.'),
    updateShopSettings: async ({ caller, body }) =>
      mapOk(await updateShopSettings(caller.companyId, body), (settings) => ok(settings, 'The shop settings were changed.')),
  },
);
