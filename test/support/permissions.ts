import { actionsOf, currentFunction } from './crash-points.ts';
import { refuseTableCalls, tableError } from './sdk-hooks.ts';

/** As IAM would: a call to the table that the function does not declare is refused. A transaction needs what its parts need. */
export const refuseUndeclaredCalls = (): void =>
  refuseTableCalls(({ command, input }) => {
    const spec = currentFunction();
    if (!spec) return;
    const declared = new Set<string>(spec.uses.flatMap((use) => (use.resource === 'table' ? use.actions : [])));
    const missing = actionsOf(command, input).filter((action) => !declared.has(action));
    if (missing.length > 0)
      throw tableError('AccessDeniedException', { message: `${spec.name} does not declare ${missing.join(', ')} on the table.` });
  });
