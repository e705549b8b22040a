import { type Context, context } from '../../shared/contract/context.ts';
import { doorbellPublishVariable } from '../../shared/contract/doorbell.ts';
import { domainBus } from '../../shared/contract/event.ts';
import { publishesTo, sendsTo, usesBucket, usesTable } from '../../shared/contract/resource.ts';
import { storedKinds } from '../../shared/table/kinds.generated.ts';
import { webhookEventsQueue } from '../webhooks/contract/queue.ts';
import { delayedBucket, journalBucket, setAsideChangeName } from './contract.ts';

/**
 * The change stream: the one consumer of the table's stream. It applies each stored change to the projections exactly once, enqueues the work that
 * follows and publishes events, both at least once. What follows from a change is declared by the contexts: the kinds of items that wake
 * the consumer and the queues it may send to are theirs. See docs/architecture.md.
 */
export const deriveChangeStreamContext = (contexts: readonly Context[]) => {
  const reactions = contexts.flatMap((each) => each.reactions ?? []);
  const journal = contexts.flatMap((each) => each.journal ?? []);
  const woken = [...reactions.map(({ to }) => to), ...journal.flatMap(({ of, only }) => (only ? [] : [of])), setAsideChangeName];
  const due = contexts.flatMap((each) => each.due ?? []);
  const queues = [...new Set([...due.map(({ queue }) => queue), ...reactions.flatMap(({ sendsTo: each }) => each), webhookEventsQueue])];
  const uses = [
    usesTable('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'PartiQLInsert', 'PartiQLUpdate'),
    publishesTo(domainBus),
    ...queues.map(sendsTo),
  ];
  const settings = { PUBLISH_EVENTS: 'false', CHANGES_PATIENCE_MS: '2000', [doorbellPublishVariable]: '' };
  return context({
    name: 'change-stream',
    purpose: 'Carries out what stored changes lead to',
    buckets: [journalBucket, delayedBucket],
    functions: [
      {
        name: 'changes',
        trigger: 'stream',
        // one call for each shard of the stream at a time
        share: 2,
        entry: 'functions/change-stream/worker/changes.ts',
        batchSize: 500,
        settings,
        quiet: storedKinds.filter((kind) => !woken.includes(kind)),
        newOnly: journal.flatMap(({ of, only }) => (only === 'inserts' && !woken.includes(of) ? [of] : [])).toSorted(),
        uses: [...uses, usesBucket(journalBucket, 'put'), usesBucket(delayedBucket, 'put')],
      },
      {
        name: 'catch-up',
        trigger: 'schedule',
        entry: 'functions/change-stream/worker/catch-up.ts',
        schedule: {
          kind: 'schedule',
          name: 'catch-up',
          purpose: 'Carries out changes of companies that waited',
          everyMinutes: 1,
          mayBeSilent: true,
        },
        timeoutSeconds: 120,
        settings,
        uses: [...uses, usesBucket(delayedBucket, 'get', 'put', 'delete')],
      },
    ],
  });
};
