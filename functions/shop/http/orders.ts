import { mapOk, ok, okByCursor, okPage } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { inboxRoutes } from '../contract/inbox.ts';
import { orderRoutes } from '../contract/order.ts';
import { privacyRoutes } from '../contract/privacy.ts';
import { receiverPostRoutes } from '../contract/receiver-post.ts';
import { settingsRoutes } from '../contract/settings-routes.ts';
import { listCarts, listTestCalls } from '../service/inbox.ts';
import { getOrder, listOrders, updateOrder, updateOrderStatus } from '../service/orders.ts';
import { listPrivacyRequests } from '../service/privacy-requests.ts';
import { listReceiverPosts } from '../service/receiver-posts.ts';
import { updateShopSettings } from '../service/update-settings.ts';
import { getShopSettings } from '../service/settings.ts';

export const handler = serve(
  { ...orderRoutes, ...settingsRoutes, ...privacyRoutes, ...inboxRoutes, ...receiverPostRoutes },
  {
    listOrders: async (request) => mapOk(await listOrders(request.caller.companyId, request.query), (page) => okPage(request, page, 'OK')),
    getOrder: async ({ caller, params }) => mapOk(await getOrder(caller.companyId, params.id), (order) => ok(order, 'OK')),
    updateOrder: async ({ caller, params, body }) =>
      mapOk(await updateOrder(caller.companyId, params.id, body), (order) => ok(order, 'The order was updated.')),
    updateOrderStatus: async ({ caller, params, body }) =>
      mapOk(await updateOrderStatus(caller.companyId, params.id, body), (order) => ok(order, 'The status was updated.')),
    listPrivacyRequests: async ({ caller }) => ok(await listPrivacyRequests(caller.companyId), 'OK'),
    listCarts: async ({ caller }) => ok(await listCarts(caller.companyId), 'Carts, newest first.'),
    listTestCalls: async ({ caller }) => ok(await listTestCalls(caller.companyId), 'Calls, newest first.'),
    listReceiverPosts: async ({ caller, query }) =>
      mapOk(await listReceiverPosts(caller.companyId, query), (page) => okByCursor(page, 'Posts to receivers, newest first.')),
    getShopSettings: async ({ caller }) => ok(await getShopSettings(caller.companyId), 'OK'),
    updateShopSettings: async ({ caller, body }) =>
      mapOk(await updateShopSettings(caller.companyId, body), (settings) => ok(settings, 'The shop settings were updated.')),
  },
);
