import { answer, listed, ok, removed } from '../../../shared/http/reply.ts';
import type { Operations } from '../../../shared/contract/route.ts';
import type { connectionRoutes, installRoutes } from '../contract/connection-routes.ts';
import { disconnect, getConnection, importAgain, listConnections } from '../service/connected-stores.ts';
import { beginInstallation, browserCookie, claimInstallation, finishInstallation } from '../service/installing.ts';
import { receiveCompliance } from '../service/compliance.ts';
import { installPage } from './install-page.ts';
import { created, unlessRefused } from './replies.ts';

export const connectionOperations: Operations<typeof installRoutes & typeof connectionRoutes> = {
  startInstallation: async ({ url, rawQuery }) =>
    unlessRefused(await beginInstallation(rawQuery, url.replace(/start$/, 'callback')), ({ location, browser }) =>
      answer(302, undefined, {
        location,
        'cache-control': 'no-store',
        'set-cookie': `${browserCookie}=${browser}; Path=/shop/connect; Max-Age=600; HttpOnly; Secure; SameSite=Lax`,
      }),
    ),
  finishInstallation: async ({ rawQuery, cookies }) =>
    unlessRefused(await finishInstallation(rawQuery, cookies[browserCookie]), installPage),
  receivePlatformNotice: async ({ rawBody, headers }) =>
    unlessRefused(await receiveCompliance(rawBody, headers), (taken) => answer(200, taken)),
  listConnections: async (request) =>
    unlessRefused(await listConnections(request.caller.companyId, request.query), (page) => listed(request, page, 'Connected stores.')),
  claimConnection: async ({ caller, body }) =>
    unlessRefused(await claimInstallation(caller.companyId, body.claim), (connection) => created(connection, 'The store is connected.')),
  getConnection: async ({ caller, params }) =>
    unlessRefused(await getConnection(caller.companyId, params.id), (connection) => ok(connection, 'The connected store.')),
  importConnection: async ({ caller, params }) =>
    unlessRefused(await importAgain(caller.companyId, params.id), (connection) => ok(connection, 'The import runs.')),
  deleteConnection: async ({ caller, params }) =>
    unlessRefused(await disconnect(caller.companyId, params.id), ({ id }) => removed(id, 'The store is disconnected.')),
};
