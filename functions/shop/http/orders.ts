import { listed, ok } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { orderRoutes } from '../contract/order.ts';
import { privacyRoutes } from '../contract/privacy.ts';
import { settingsRoutes } from '../contract/settings-routes.ts';
import { getOrder, listOrders, updateOrder, updateOrderStatus } from '../service/orders.ts';
import { privacyRequests } from '../service/redacting.ts';
import { updateSettings } from '../service/changing-settings.ts';
import { getSettings } from '../service/settings.ts';
import { unlessRefused } from './replies.ts';

export const handler = serve(
  { ...orderRoutes, ...settingsRoutes, ...privacyRoutes },
  {
    listOrders: async (request) =>
      unlessRefused(await listOrders(request.caller.companyId, request.query), (page) => listed(request, page, 'Orders, newest first.')),
    getOrder: async ({ caller, params }) => unlessRefused(await getOrder(caller.companyId, params.id), (order) => ok(order, 'The order.')),
    updateOrder: async ({ caller, params, body }) =>
      unlessRefused(await updateOrder(caller.companyId, params.id, body), (order) => ok(order, 'The order was changed.')),
    updateOrderStatus: async ({ caller, params, body }) =>
      unlessRefused(await updateOrderStatus(caller.companyId, params.id, body), (order) => ok(order, 'The status was changed.')),
    listPrivacyRequests: async ({ caller }) => ok(await privacyRequests(caller.companyId), 'Requests under privacy law.'),
    getShopSettings: async ({ caller }) => ok(await getSettings(caller.companyId), 'The shop settings.'),
    updateShopSettings: async ({ caller, body }) =>
      unlessRefused(await updateSettings(caller.companyId, body), (settings) => ok(settings, 'The shop settings were changed.')),
  },
);
