import { mapOk, okByCursor, withMessage } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { eventRoutes } from './contract/event.ts';
import { loggedRequestRoutes } from './contract/request.ts';
import { type EventPage, listEvents } from './service/events.ts';
import { getLoggedRequest, listLoggedRequests } from './service/requests.ts';

export const handler = serve(
  { ...eventRoutes, ...loggedRequestRoutes },
  {
    listEvents: async ({ caller, query }) => toAnswer(await listEvents(caller, query)),
    listLoggedRequests: async ({ caller, query }) =>
      mapOk(await listLoggedRequests(caller.companyId, query), (page) => okByCursor(page, 'Calls of tokens, newest first.')),
    getLoggedRequest: async ({ caller, params }) =>
      mapOk(await getLoggedRequest(caller.companyId, params.request_id), withMessage('The request.')),
  },
);

function toAnswer({ events, hasMore, nextCursor }: EventPage) {
  return {
    status: 200 as const,
    body: {
      status: 'success' as const,
      message: 'Events, oldest first.',
      data: events,
      meta: { has_more: hasMore, next_cursor: nextCursor },
    },
  };
}
