import { serve } from '../../shared/http/serve.ts';
import { eventRoutes } from './contract/event.ts';
import { type EventPage, listEvents } from './service/events.ts';

export const handler = serve(eventRoutes, {
  listEvents: async ({ caller, query }) => toAnswer(await listEvents(caller, query)),
});

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
