import { pagesOrigin } from '../../../shared/access/session.ts';
import { answer, mapOk, ok, okDeleted, okPage } from '../../../shared/http/reply.ts';
import type { Operations } from '../../../shared/contract/route.ts';
import type { connectionRoutes, installRoutes } from '../contract/connection-routes.ts';
import { deleteConnection, getConnection, importConnection, listConnections } from '../service/connected-stores.ts';
import { startInstallation, browserCookie, claimConnection, finishInstallation } from '../service/installations.ts';
import { receivePlatformNotice } from '../service/compliance-webhooks.ts';
import { claimPage } from './install-page.ts';
import { created } from './replies.ts';

export const connectionOperations: Operations<typeof installRoutes & typeof connectionRoutes> = {
  startInstallation: async ({ url, rawQuery }) =>
    mapOk(await startInstallation(rawQuery, url.replace(/start$/, 'callback')), ({ location, browser }) =>
      answer(302, undefined, {
        location,
        'cache-control': 'no-store',
        'set-cookie': `${browserCookie}=${browser}; Path=/shop/connect; Max-Age=600; HttpOnly; Secure; SameSite=Lax`,
      }),
    ),
  finishInstallation: async ({ url, rawQuery, cookies }) =>
    mapOk(await finishInstallation(rawQuery, cookies[browserCookie]), (finished) => claimPage(finished, pagesOrigin(url))),
  receivePlatformNotice: async ({ rawBody, headers }) =>
    mapOk(await receivePlatformNotice(rawBody, headers), (taken) => answer(200, taken)),
  listConnections: async (request) =>
    mapOk(await listConnections(request.caller.companyId, request.query), (page) => okPage(request, page, 'OK')),
  claimConnection: async ({ caller, body }) =>
    mapOk(await claimConnection(caller.companyId, body), (connection) => created(connection, 'The store was connected.')),
  getConnection: async ({ caller, params }) =>
    mapOk(await getConnection(caller.companyId, params.id), (connection) => ok(connection, 'OK')),
  importConnection: async ({ caller, params }) =>
    mapOk(await importConnection(caller.companyId, params.id), (connection) => ok(connection, 'The import was started.')),
  deleteConnection: async ({ caller, params }) =>
    mapOk(await deleteConnection(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The store was disconnected.')),
};
