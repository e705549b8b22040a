import { context } from '../../shared/contract/context.ts';
import { sendsTo, usesTable } from '../../shared/contract/resource.ts';
import { dueQueues } from './contract.ts';

/**
 * Dispatch: once a minute, what falls due soon goes to the queue that does it, with the delay that is left. The index it reads is
 * ordered by time, so a missed minute, or a missed night, is caught up by the next tick; a doubled tick places twice, and workers
 * claim before they act.
 */
export const dispatchContext = context({
  name: 'dispatch',
  purpose: 'Wakes what is due',
  functions: [
    {
      name: 'dispatch-tick',
      trigger: 'schedule',
      entry: 'functions/dispatch/worker.ts',
      schedule: { kind: 'schedule', name: 'every-minute', purpose: 'Places due work', everyMinutes: 1 },
      uses: [usesTable('GetItem', 'Query', 'UpdateItem'), ...dueQueues.map(sendsTo)],
    },
  ],
});
