import { problem } from '../contract/problems.ts';
import { closedMessage, restoreState } from '../table/restored-copy.ts';
import { type Middleware, RefusedRequest } from './exchange.ts';

/**
 * On a restored table: nothing until the journal is applied, because a credential may be one that was revoked since the backup; then reads, until
 * the operator opens it. Receivers of webhooks, which only enqueue what is posted, go on. See docs/decisions/restore-in-time.md.
 */
export const closedTable = (): Middleware => ({
  before: async ({ event }) => {
    const { via, effect } = event.exchange.route;
    if (via === 'url') return;
    const state = await restoreState();
    if (state === 'open' || (state === 'readable' && effect === 'read')) return;
    throw new RefusedRequest(problem('temporarily_unavailable', { message: closedMessage(state), retryAfterSeconds: 60 }));
  },
});
