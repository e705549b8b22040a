import { context } from '../../shared/contract/context.ts';
import { reads, usesTable } from '../../shared/contract/resource.ts';
import { cursorKey } from '../../shared/contract/secret.ts';
import { eventRoutes } from './contract/event.ts';
import { loggedRequestRoutes } from './contract/request.ts';

/**
 * Events: the log of what happened in a company, for 30 days. The stream consumer writes it (service/append-events.ts) from the events and
 * log lines of all reactions; pages and integrations follow it with GET /events. See docs/decisions/event-log.md. And the calls of tokens, which the
 * HTTP stack logs (docs/decisions/request-log.md).
 */
export const eventsContext = context({
  name: 'events',
  purpose: 'What happened, to follow live and to look back',
  functions: [
    {
      name: 'events-http',
      entry: 'functions/events/http.ts',
      trigger: 'http',
      routes: { ...eventRoutes, ...loggedRequestRoutes },
      uses: [usesTable('GetItem', 'Query', 'UpdateItem'), reads(cursorKey)],
    },
  ],
});
