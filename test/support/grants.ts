import { AsyncLocalStorage } from 'node:async_hooks';
import type { FunctionSpec } from '../../shared/contract/context.ts';
import { guardTable, tableError } from './table-watch.ts';

/** The function whose code runs now; none when a test calls a service by itself. */
const running = new AsyncLocalStorage<FunctionSpec>();

export const asFunction = <T>(spec: FunctionSpec, work: () => T): T => running.run(spec, work);

/** As IAM would: a call to the table that the function does not declare is refused. A transaction needs what its parts need. */
export const refuseUndeclared = (): void =>
  guardTable(({ command, input }) => {
    const spec = running.getStore();
    if (!spec) return;
    const declared = new Set<string>(spec.uses.flatMap((use) => (use.resource === 'table' ? use.actions : [])));
    const missing = actionsOf(command, input).filter((action) => !declared.has(action));
    if (missing.length > 0)
      throw tableError('AccessDeniedException', { message: `${spec.name} does not declare ${missing.join(', ')} on the table.` });
  });

function actionsOf(command: string, input: Record<string, unknown>): string[] {
  if (command !== 'TransactWriteItems' && command !== 'TransactWrite') return [itemActions[command] ?? command];
  return (input['TransactItems'] as object[]).flatMap((part) => Object.keys(part)).map((part) => itemActions[part] ?? part);
}

/** The document client leaves the `Item` out. */
const itemActions: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  BatchGet: 'BatchGetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};
