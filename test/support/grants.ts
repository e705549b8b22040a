import { actsOf, runningFunction } from './fault-points.ts';
import { guardTable, tableError } from './table-watch.ts';

/** As IAM would: a call to the table that the function does not declare is refused. A transaction needs what its parts need. */
export const refuseUndeclared = (): void =>
  guardTable(({ command, input }) => {
    const spec = runningFunction();
    if (!spec) return;
    const declared = new Set<string>(spec.uses.flatMap((use) => (use.resource === 'table' ? use.actions : [])));
    const missing = actsOf(command, input).filter((action) => !declared.has(action));
    if (missing.length > 0)
      throw tableError('AccessDeniedException', { message: `${spec.name} does not declare ${missing.join(', ')} on the table.` });
  });
