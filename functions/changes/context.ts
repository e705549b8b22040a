import { type Context, context } from '../../shared/contract/context.ts';
import { domainBus } from '../../shared/contract/event.ts';
import { publishesTo, sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { subscriptionCacheSettings } from '../webhooks/contract/subscription-cache.ts';
import { webhookEventsQueue } from '../webhooks/contract/queue.ts';
import { setAsideChangeName } from './contract.ts';

/**
 * Changes: the one consumer of the table's stream. It applies each stored change to the projections exactly once, enqueues the work that
 * follows and publishes events, both at least once. What follows from a change is declared by the contexts: the kinds of items that wake
 * the consumer and the queues it may send to are theirs. See docs/architecture.md.
 */
export const deriveChangesContext = (contexts: readonly Context[]) => {
  const reactions = contexts.flatMap((each) => each.reactions ?? []);
  const due = contexts.flatMap((each) => each.due ?? []);
  return context({
    name: 'changes',
    purpose: 'Carries out what stored changes lead to',
    functions: [
      {
        name: 'changes',
        trigger: 'stream',
        entry: 'functions/changes/worker.ts',
        batchSize: 500,
        settings: { ...subscriptionCacheSettings, PUBLISH_EVENTS: 'false' },
        kinds: [...new Set([...reactions.map(({ to }) => to), setAsideChangeName])],
        uses: [
          usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLInsert', 'PartiQLUpdate'),
          publishesTo(domainBus),
          ...[
            ...new Set([...due.map(({ queue }) => queue), ...reactions.flatMap(({ sendsTo: queues }) => queues), webhookEventsQueue]),
          ].map(sendsTo),
        ],
      },
    ],
  });
};
