import { type Context, context } from '../../shared/contract/context.ts';
import { sendsTo, usesTable } from '../../shared/contract/resource.ts';

/**
 * Due work: once a minute it enqueues the work that falls due soon, each message with the delay that is left. The due index is ordered by
 * time, so the next tick makes up for missed ones; a duplicate tick enqueues twice, and workers claim before they act. The kinds of due work
 * are declared by the contexts.
 */
export const deriveDueWorkContext = (contexts: readonly Context[]) =>
  context({
    name: 'due-work',
    purpose: 'Enqueues due work',
    functions: [
      {
        name: 'dispatch-tick',
        trigger: 'schedule',
        entry: 'functions/due-work/worker.ts',
        schedule: { kind: 'schedule', name: 'every-minute', purpose: 'Enqueues due work', everyMinutes: 1 },
        uses: [
          usesTable('Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
          ...[...new Set(contexts.flatMap(({ due }) => due ?? []).map(({ queue }) => queue))].map(sendsTo),
        ],
      },
    ],
  });
